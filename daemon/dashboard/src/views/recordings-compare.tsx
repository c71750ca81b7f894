/** Two recorded matches compared: figures, scores, and the first decisions that differ. */
import { createMemo, For, Show, type JSX } from "solid-js";
import { DECISIONS, differences, figuresOf, type Difference, type Figures } from "../match/film";
import { OUTCOMES, type Moment, type Part } from "../match/history";
import { figure, millis, scoreText } from "../match/names";
import { momentText, race, raceText, type Contestant } from "../match/series";
import { loadFilm } from "../state/films";
import { Chart } from "../ui/chart";

/** Differences that are listed. */
const LISTED = 40;

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
          {loaded() ? "Both are loaded." : "Both are loading."}
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
        <Scores
          one={{ name: props.one, colour: "--accent", turns: (one.version(), [...one.film.history.turns]) }}
          other={{ name: props.other, colour: "--warn", dashed: true, turns: (other.version(), [...other.film.history.turns]) }}
        />
      </section>
      <section class="card scroll" aria-labelledby="part">
        <h2 id="part">Differences</h2>
        <p data-differences={found().different}>
          {found().compared === 0 && loaded()
            ? "The recordings have no turn in which an agent of the same name was asked, so there is nothing to compare."
            : `${found().different} of ${found().compared} decisions of the same agents in the same turns differ.`}
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
            <For each={found().first} fallback={<tr><td colSpan={4} class="dim">No decision differs.</td></tr>}>
              {(it) => <DifferenceRow difference={it} open={() => { props.open({ round: it.round, step: it.step }); }} />}
            </For>
          </tbody>
        </table>
      </section>
    </div>
  );
}

const ROWS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ["turns", ({ turns }) => figure(turns)],
  ["score", ({ score }) => scoreText(score)],
  ...OUTCOMES.map((outcome) => [outcome, ({ outcomes }: Figures) => figure(outcomes[outcome])] as const),
  ["script errors", ({ errors }) => figure(errors)],
  ["scripts in a turn, mean", ({ mean }) => millis(mean)],
  ["scripts in a turn, longest", ({ longest }) => millis(longest)],
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
function Scores(props: { one: Contestant; other: Contestant }): JSX.Element {
  const shown = createMemo(() => race([props.one, props.other]));
  return (
    <Show when={shown().turns.length > 1}>
      <Chart
        label={raceText(shown())}
        height={150}
        xs={shown().turns.map((_, at) => at)}
        plots={shown().plots}
        xText={(at) => momentText(shown().turns[at])}
        yText={figure}
        whole
      />
    </Show>
  );
}
