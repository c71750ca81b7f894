/** Where the time went, turn by turn. */
import { createMemo, createSignal, For, Index, on, Show, type JSX } from "solid-js";
import { isBad, type TurnRecord } from "../match/history";
import { outliers, slowest, waterfall } from "../match/waterfall";
import { useCockpit } from "../state/cockpit";

/** Turns in the row of columns, and of the list of the slowest. */
const COLUMNS = 120;
const WORST = 8;

/** Columns of all turns, the waterfall of one. */
export function TimelineView(): JSX.Element {
  const cockpit = useCockpit();
  // Columns stand still below a pointer: nobody hits what runs away.
  const [held, setHeld] = createSignal<readonly TurnRecord[]>();
  const newest = createMemo(on(cockpit.version, () => cockpit.history.turns.slice(-COLUMNS)));
  const turns = (): readonly TurnRecord[] => held() ?? newest();
  const most = createMemo(() => Math.max(0.01, ...turns().map((turn) => turn.spent ?? 0)));
  const chosen = createMemo((): TurnRecord | undefined => {
    cockpit.version();
    const wanted = cockpit.place().turn;
    const known = cockpit.history.turns;
    if (wanted === undefined) return known.findLast((turn) => turn.spent !== undefined);
    return known.find((turn) => turn.round === wanted.round && turn.step === wanted.step);
  });
  const choose = (turn: TurnRecord): void => {
    cockpit.go({ turn: { round: turn.round, step: turn.step } });
  };
  return (
    <div class="timeline">
      <section class="card wide" aria-labelledby="spent">
        <h2 id="spent">Time of the scripts in each turn</h2>
        <div
          class="columns"
          role="group"
          onPointerEnter={() => { setHeld(newest()); }}
          onPointerLeave={() => { setHeld(undefined); }}
          aria-label={`The last ${turns().length} turns; the longest took ${most().toFixed(2)} milliseconds`}
        >
          <For each={turns()}>
            {(turn) => (
              <button
                type="button"
                class="column"
                aria-label={`turn ${turn.round}:${turn.step}, ${(turn.spent ?? 0).toFixed(2)} milliseconds`}
                title={`${turn.round}:${turn.step} · ${(turn.spent ?? 0).toFixed(2)} ms`}
                data-chosen={turn === chosen() ? "" : undefined}
                data-bad={turn.errors > 0 || [...turn.parts.values()].some(isBad) ? "" : undefined}
                onClick={() => {
                  choose(turn);
                }}
              >
                <span style={{ height: `${Math.max(2, ((turn.spent ?? 0) / most()) * 100)}%` }} />
              </button>
            )}
          </For>
        </div>
        <p class="dim">The longest of them took {most().toFixed(2)} ms.</p>
      </section>
      <section class="card" aria-labelledby="one-turn">
        <h2 id="one-turn">
          <Show when={chosen()} fallback="No turn was told yet">
            {(turn) => `Turn ${turn().round}:${turn().step}`}
          </Show>
        </h2>
        <Show when={chosen()}>{(turn) => <Waterfall turn={turn()} />}</Show>
      </section>
      <div class="stack">
        <section class="card" aria-labelledby="worst">
          <h2 id="worst">Slowest turns</h2>
          <ol class="plain">
            <For each={outliers(turns(), WORST)}>
              {(turn) => (
                <li class="row">
                  <button
                    type="button"
                    class="as-link"
                    onClick={() => {
                      choose(turn);
                    }}
                  >
                    {turn.round}:{turn.step}
                  </button>
                  <span class="number">{turn.spent?.toFixed(2)} ms</span>
                </li>
              )}
            </For>
          </ol>
        </section>
        <section class="card" aria-labelledby="slow-agents">
          <h2 id="slow-agents">Slowest agents</h2>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col" class="number">Mean</th>
                <th scope="col" class="number">Longest</th>
              </tr>
            </thead>
            <tbody>
              <Index each={slowest(turns()).slice(0, WORST)}>
                {(row) => (
                  <tr>
                    <th scope="row">{row().agent}</th>
                    <td class="number">{row().mean.toFixed(2)} ms</td>
                    <td class="number">{row().longest.toFixed(2)} ms</td>
                  </tr>
                )}
              </Index>
            </tbody>
          </table>
        </section>
      </div>
    </div>
  );
}

function Waterfall(props: { turn: TurnRecord }): JSX.Element {
  const cockpit = useCockpit();
  // A turn grows in place: the version tells when.
  const shown = createMemo(on([cockpit.version, () => props.turn], ([, turn]) => waterfall(turn)));
  const share = (ms: number): string => `${(ms / Math.max(shown().whole, 1e-6)) * 100}%`;
  return (
    <table class="waterfall">
      <caption class="dim">
        {shown().whole.toFixed(2)} ms, {shown().rest.toFixed(2)} ms of it the team's plan and everything around the agents
      </caption>
      <tbody>
        <Index each={shown().bars}>
          {(bar) => (
            <tr>
              <th scope="row">
                <button
                  type="button"
                  class="as-link"
                  onClick={() => {
                    cockpit.go({ view: "agents", agent: bar().agent, turn: { round: props.turn.round, step: props.turn.step } });
                  }}
                >
                  {bar().agent}
                </button>
              </th>
              <td>
                <span class="track">
                  <span class="bar" data-outcome={bar().outcome} style={{ "margin-left": share(bar().from), width: share(bar().spent) }} />
                </span>
              </td>
              <td class="number">{bar().spent.toFixed(2)} ms</td>
              <td class="mono clip">{bar().action || bar().outcome}</td>
            </tr>
          )}
        </Index>
      </tbody>
    </table>
  );
}
