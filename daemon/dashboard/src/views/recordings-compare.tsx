/** Two recorded matches beside each other: how they went, and where they part. */
import { createMemo, For, Show, type JSX } from "solid-js";
import { DECISIONS, differences, figuresOf, type Difference, type Figures } from "../match/film";
import { OUTCOMES, type Moment, type Part } from "../match/history";
import { pathOf, scores, type Series } from "../match/series";
import { loadFilm } from "../state/films";

/** Differences that are listed. */
const LISTED = 40;

/** Figures, scores, and the first decisions that differ. */
export function Comparison(props: { one: string; other: string; open: (turn: Moment) => void }): JSX.Element {
  const [one, other] = [loadFilm(props.one, DECISIONS), loadFilm(props.other, DECISIONS)];
  const figures = createMemo(() => (one.version(), other.version(), [figuresOf(one.film.history.turns), figuresOf(other.film.history.turns)] as const));
  const found = createMemo(() => (one.version(), other.version(), differences(one.film.history.turns, other.film.history.turns, LISTED)));
  const loaded = (): boolean => one.done() && other.done();
  const trouble = (): string => one.trouble() || other.trouble();
  return (
    <div class="compared">
      <section class="card" aria-labelledby="side-by-side">
        <h2 id="side-by-side">Side by side</h2>
        <Show when={trouble() !== ""}>
          <p class="warn">{trouble()}</p>
        </Show>
        <p class="dim" role="status">
          {loaded() ? "Both are loaded." : "They are loaded."}
        </p>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden-label">Figure</span>
              </th>
              <th scope="col" class="number first">{props.one}</th>
              <th scope="col" class="number second">{props.other}</th>
            </tr>
          </thead>
          <tbody>
            <For each={ROWS}>
              {([name, value]) => (
                <tr data-figure={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{value(figures()[0])}</td>
                  <td class="number">{value(figures()[1])}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <Scores one={(one.version(), scores(one.film.history))} other={(other.version(), scores(other.film.history))} />
      </section>
      <section class="card scroll" aria-labelledby="part">
        <h2 id="part">Where they part</h2>
        <p data-differences={found().different}>
          {found().compared === 0 && loaded()
            ? "No agent of the same name was asked in the same turn of both: there are no decisions to compare."
            : `${found().different} of ${found().compared} decisions of the same agents in the same turns came out otherwise.`}
        </p>
        <table class="list decisions">
          <thead>
            <tr>
              <th scope="col">Turn</th>
              <th scope="col">Agent</th>
              <th scope="col" class="first">{props.one}</th>
              <th scope="col" class="second">{props.other}</th>
            </tr>
          </thead>
          <tbody>
            <For each={found().first} fallback={<tr><td colSpan={4} class="dim">Nothing that can be compared differs.</td></tr>}>
              {(it) => <DifferenceRow difference={it} open={() => { props.open({ round: it.round, step: it.step }); }} />}
            </For>
          </tbody>
        </table>
      </section>
    </div>
  );
}

const ROWS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ["turns", ({ turns }) => `${turns}`],
  ["score", ({ score }) => score?.toString() ?? "–"],
  ...OUTCOMES.map((outcome) => [outcome, ({ outcomes }: Figures) => `${outcomes[outcome]}`] as const),
  ["script errors", ({ errors }) => `${errors}`],
  ["scripts in a turn, mean", ({ mean }) => `${mean.toFixed(2)} ms`],
  ["scripts in a turn, longest", ({ longest }) => `${longest.toFixed(2)} ms`],
];

function DifferenceRow(props: { difference: Difference; open: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="as-link"
          onClick={() => { props.open(); }}
        >
          {props.difference.round}:{props.difference.step}
        </button>
      </th>
      <td>{props.difference.agent}</td>
      <td><Choice part={props.difference.one} /></td>
      <td><Choice part={props.difference.other} /></td>
    </tr>
  );
}

function Choice(props: { part: Part }): JSX.Element {
  return (
    <>
      <span class="mono">{props.part.action || props.part.outcome}</span> <span class="dim">{props.part.reason}</span>
    </>
  );
}

/** Both scores on one scale. */
function Scores(props: { one: Series; other: Series }): JSX.Element {
  const least = (): number => Math.min(props.one.least, props.other.least);
  const most = (): number => Math.max(props.one.most, props.other.most);
  const scaled = (series: Series): Series => ({ points: series.points, least: least(), most: most() });
  return (
    <Show when={props.one.points.length > 1 || props.other.points.length > 1}>
      <svg class="line" viewBox="-2 -4 304 108" preserveAspectRatio="none" role="img" aria-label={`Scores of both, from ${least()} to ${most()}`}>
        <path d={pathOf(scaled(props.one), 300, 100)} />
        <path class="other" d={pathOf(scaled(props.other), 300, 100)} />
      </svg>
      <p class="ends">
        <span>{least()}</span>
        <span>{most()}</span>
      </p>
    </Show>
  );
}
