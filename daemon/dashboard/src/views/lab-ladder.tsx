/** A ladder: table, ratings over the matches, who did how against whom, and the matches. */
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import type { GetLadderResponse, LadderRow } from "../gen/phalanx/v1/lab_pb";
import { curves, CURVES_MAX } from "../lab/curves";
import { lean, matrix, share, type Games } from "../lab/matrix";
import { figure } from "../match/names";
import { useCockpit } from "../state/cockpit";
import { createPolled } from "../state/polled";
import { Chart } from "../ui/chart";
import { QueueWorkers } from "../ui/queue-workers";
import { LadderMatches } from "./lab-matches";

/** Interval between two requests, in milliseconds. */
const EVERY = 3_000;
/** Strategies in the square of games; more cannot be read. */
const SQUARE_MAX = 24;

/** A row with its place in the answer. */
interface Shown {
  readonly row: LadderRow;
  readonly at: number;
}

export function LadderPanel(props: { name: string }): JSX.Element {
  const { lab } = useCockpit().api;
  const polled = createPolled(EVERY, () => props.name, (name, signal) => lab.getLadder({ name: `ladders/${name}` }, { signal }));
  const [earlier, setEarlier] = createSignal(false);
  const [chosen, setChosen] = createSignal("");
  const [against, setAgainst] = createSignal("");
  const rows = createMemo((): readonly Shown[] => (polled().value?.ladder?.rows ?? []).map((row, at) => ({ row, at })).filter(({ row }) => earlier() || row.latest));
  const choose = (strategy: string, other = ""): void => {
    const same = chosen() === strategy && against() === other;
    setChosen(same ? "" : strategy);
    setAgainst(same ? "" : other);
  };
  return (
    <Show when={polled().value} fallback={<p class="empty">{polled().fault?.text ?? "Waiting for the daemon's answer."}</p>}>
      {(answer) => (
        <>
          <section class="card" aria-labelledby="ladder-table">
            <div class="row">
              <h2 id="ladder-table">Ladder {props.name}</h2>
              <span class="grow" />
              <Show when={(answer().ladder?.rows ?? []).some((row) => !row.latest)}>
                <label class="check">
                  <input type="checkbox" checked={earlier()} onChange={(event) => { setEarlier(event.currentTarget.checked); }} />
                  Earlier versions
                </label>
              </Show>
            </div>
            <Facts answer={answer()} />
            <QueueWorkers workers={answer().ladder?.workers ?? []} />
            <Table rows={rows()} chosen={chosen()} choose={choose} />
            <Show when={polled().fault}>{(fault) => <p class="warn">{fault().text}</p>}</Show>
            <Show when={answer().ladder?.trouble}>{(text) => <p class="warn">Its newest entries cannot be read: {text()}</p>}</Show>
          </section>
          <section class="card" aria-labelledby="ladder-ratings">
            <h2 id="ladder-ratings">Rating over the matches</h2>
            <Ratings answer={answer()} rows={rows()} chosen={chosen()} />
          </section>
          <section class="card" aria-labelledby="ladder-square">
            <h2 id="ladder-square">Head to head</h2>
            <Square answer={answer()} rows={rows().slice(0, SQUARE_MAX)} chosen={chosen()} against={against()} choose={choose} />
            <Show when={rows().length > SQUARE_MAX}>
              <p class="dim">The first {SQUARE_MAX} strategies.</p>
            </Show>
          </section>
          <LadderMatches ladder={props.name} played={Number(answer().ladder?.played ?? 0n)} strategy={chosen()} against={against()} forget={() => { choose(chosen(), against()); }} />
        </>
      )}
    </Show>
  );
}

function Facts(props: { answer: GetLadderResponse }): JSX.Element {
  const setup = (): string => Object.entries(props.answer.ladder?.setup ?? {}).map(([key, value]) => `, ${key} ${value}`).join("");
  const now = (): string => {
    const { player, pending } = props.answer.ladder ?? { player: "", pending: 0n };
    if (player !== "") return `${player} plays ${figure(Number(pending))} more of this round`;
    return pending > 0n ? `stopped, ${figure(Number(pending))} left of a round` : "no match is being played";
  };
  return (
    <p class="lab-figures">
      <span>
        {props.answer.ladder?.game}
        {setup()}
      </span>
      <span>
        <strong data-figure="played">{figure(Number(props.answer.ladder?.played ?? 0n))}</strong> matches
      </span>
      <span class="dim">{now()}</span>
    </p>
  );
}

function Table(props: { rows: readonly Shown[]; chosen: string; choose: (strategy: string) => void }): JSX.Element {
  const most = createMemo(() => Math.max(1, ...props.rows.map(({ row }) => Math.abs(row.elo) + row.error)));
  const place = (elo: number): string => `${((elo / most() + 1) / 2) * 100}%`;
  return (
    <div class="scroll lab-table">
      <table class="list">
        <thead>
          <tr>
            <th scope="col" class="number">#</th>
            <th scope="col">Strategy</th>
            <th scope="col" class="number">Elo</th>
            <th scope="col">± 95 %</th>
            <th scope="col" class="number">Won</th>
            <th scope="col" class="number">Drawn</th>
            <th scope="col" class="number">Lost</th>
            <th scope="col" class="number">Matches</th>
            <th scope="col" class="number">Failed</th>
            <th scope="col" class="number">Mean score</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows} fallback={<tr><td colSpan={10} class="dim">No strategy was submitted yet.</td></tr>}>
            {({ row }, rank) => (
              <tr data-strategy={row.strategy} data-chosen={props.chosen === row.strategy ? "" : undefined}>
                <td class="number dim">{rank() + 1}</td>
                <th scope="row">
                  <button type="button" class="as-link" aria-pressed={props.chosen === row.strategy} onClick={() => { props.choose(row.strategy); }}>
                    {row.strategy}
                  </button>
                  <Show when={!row.latest}><span class="dim"> earlier version</span></Show>
                  <Show when={row.suspended}><span class="bad" title={row.trouble}> suspended</span></Show>
                </th>
                <td class="number">
                  {figure(row.elo)} ± {figure(row.error)}
                </td>
                <td class="interval">
                  <span class="interval-track" aria-hidden="true">
                    <span class="interval-zero" />
                    <span class="interval-bar" style={{ left: place(row.elo - row.error), right: `calc(100% - ${place(row.elo + row.error)})` }} />
                    <span class="interval-mark" style={{ left: place(row.elo) }} />
                  </span>
                </td>
                <td class="number">{figure(Number(row.wins))}</td>
                <td class="number">{figure(Number(row.draws))}</td>
                <td class="number">{figure(Number(row.losses))}</td>
                <td class="number">{figure(Number(row.matches))}</td>
                <td class="number" data-bad={row.failed > 0n ? "warn" : undefined} title={row.trouble}>
                  {figure(Number(row.failed))}
                </td>
                <td class="number">{row.scoreMean.toLocaleString("en", { maximumFractionDigits: 1 })}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

function Ratings(props: { answer: GetLadderResponse; rows: readonly Shown[]; chosen: string }): JSX.Element {
  const shown = createMemo(() => {
    const first = props.rows.slice(0, CURVES_MAX);
    // The chosen one is among the lines, wherever it is in the table.
    const late = props.rows.slice(CURVES_MAX).find(({ row }) => row.strategy === props.chosen);
    const some = late === undefined ? first : [...first.slice(0, -1), late];
    return some.map(({ row, at }) => ({ name: row.strategy, points: props.answer.series[at]?.points ?? [] }));
  });
  const drawn = createMemo(() => curves(shown(), props.chosen));
  return (
    <Show when={drawn().xs.length > 1} fallback={<p class="dim">The lines begin after a few matches.</p>}>
      <Chart
        label={`Ratings after ${figure(drawn().xs.at(-1) ?? 0)} matches: ${props.rows.slice(0, 3).map(({ row }) => `${row.strategy} ${figure(row.elo)}`).join(", ")}`}
        height={240}
        xs={drawn().xs}
        plots={drawn().plots}
        xText={figure}
        yText={figure}
        xLabel="matches"
        yLabel="Elo"
        ends
      />
      <Show when={props.rows.length > CURVES_MAX}>
        <p class="dim">The first {CURVES_MAX} strategies, and the one that you choose in the table.</p>
      </Show>
    </Show>
  );
}

function Square(props: { answer: GetLadderResponse; rows: readonly Shown[]; chosen: string; against: string; choose: (strategy: string, against: string) => void }): JSX.Element {
  const cells = createMemo(() => matrix(props.answer.ladder?.rows.length ?? 0, props.answer.pairs));
  const words = ({ won, drawn, lost }: Games, own: string, other: string): string => `${own} won ${won}, drew ${drawn} and lost ${lost} against ${other}`;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Games of each strategy against each other one">
      <table class="square">
        <thead>
          <tr>
            <th scope="col"><span class="hidden-label">Strategy</span></th>
            <For each={props.rows}>
              {({ row }, rank) => (
                <th scope="col" title={row.strategy}>
                  {rank() + 1}
                  <span class="hidden-label"> {row.strategy}</span>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows}>
            {(own, rank) => (
              <tr>
                <th scope="row">
                  <span class="dim">{rank() + 1}</span> {own.row.strategy}
                </th>
                <For each={props.rows}>
                  {(other) => (
                    <Show when={own.at === other.at ? undefined : cells()[own.at]?.[other.at]} fallback={<td class="dim">{own.at === other.at ? "" : "·"}</td>}>
                      {(games) => (
                        <td>
                          <button
                            type="button"
                            data-cell={`${own.row.strategy} ${other.row.strategy}`}
                            data-lean={lean(games()) > 0.02 ? "up" : lean(games()) < -0.02 ? "down" : undefined}
                            style={{ "--lean": `${Math.round(Math.abs(lean(games())) * 38)}%` }}
                            aria-pressed={props.chosen === own.row.strategy && props.against === other.row.strategy}
                            title={words(games(), own.row.strategy, other.row.strategy)}
                            onClick={() => { props.choose(own.row.strategy, other.row.strategy); }}
                          >
                            <strong>{Math.round(share(games()) * 100)}</strong>
                            <span>
                              {games().won}–{games().drawn}–{games().lost}
                            </span>
                          </button>
                        </td>
                      )}
                    </Show>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <p class="dim">Per cent of the points of the row against the column, with games won, drawn and lost. Click a field to see its matches.</p>
    </div>
  );
}
