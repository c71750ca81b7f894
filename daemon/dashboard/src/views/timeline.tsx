/** How long the scripts took, turn by turn and agent by agent. */
import { createMemo, createSignal, For, Index, on, Show, type JSX } from "solid-js";
import { isBad, type TurnRecord } from "../match/history";
import { millis } from "../match/names";
import { momentText } from "../match/series";
import { outliers, slowest, waterfall } from "../match/waterfall";
import { useCockpit } from "../state/cockpit";
import { Chart, type Plot } from "../ui/chart";
import { TurnSlider } from "../ui/turn-slider";

/** Turns in the chart, and rows in the lists of the slowest. */
const COLUMNS = 120;
const WORST = 8;

/** A chart of all turns, and the waterfall of one. */
export function TimelineView(): JSX.Element {
  const cockpit = useCockpit();
  // The chart does not move while the pointer is over it, so that a bar can be clicked.
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
  const chosenAt = createMemo(() => turns().findIndex((turn) => turn === chosen()));
  // A turn is in the series of the bad ones or in the other: bars of one series share a colour.
  const plots = createMemo((): readonly Plot[] => {
    const bad = (turn: TurnRecord): boolean => turn.errors > 0 || [...turn.parts.values()].some(isBad);
    return [
      { name: "all in time", colour: "--decided", values: turns().map((turn) => (bad(turn) ? undefined : (turn.spent ?? 0))) },
      { name: "with a problem", colour: "--late", values: turns().map((turn) => (bad(turn) ? (turn.spent ?? 0) : undefined)) },
    ];
  });
  return (
    <div class="timeline">
      <section class="card wide" aria-labelledby="spent">
        <h2 id="spent">Time of the scripts in each turn</h2>
        <div onPointerEnter={() => { setHeld(newest()); }} onPointerLeave={() => { setHeld(undefined); }}>
          <Chart
            label={`Script time of the last ${turns().length} turns; the longest took ${millis(most())}`}
            height={150}
            bars
            xs={turns().map((_, at) => at)}
            plots={plots()}
            xText={(at) => momentText(turns()[at])}
            yText={millis}
            chosen={chosenAt() < 0 ? undefined : chosenAt()}
            pick={(at) => {
              const turn = turns()[at];
              if (turn !== undefined) choose(turn);
            }}
          />
        </div>
        <div class="turn-slider">
          <TurnSlider
            label="Turn that is shown below"
            last={Math.max(0, turns().length - 1)}
            at={chosenAt() < 0 ? turns().length - 1 : chosenAt()}
            text={`turn ${momentText(chosen())}, ${millis(chosen()?.spent ?? 0)}`}
            onMove={(to) => {
              const turn = turns()[to];
              if (turn !== undefined) choose(turn);
            }}
          />
        </div>
        <p class="dim">The longest of these turns took {millis(most())}. Click a bar or move the slider to see where a turn's time went.</p>
      </section>
      <section class="card" aria-labelledby="one-turn">
        <h2 id="one-turn">
          <Show when={chosen()} fallback="No turn has arrived yet">
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
                  <span class="number">{millis(turn.spent ?? 0)}</span>
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
                    <td class="number">{millis(row().mean)}</td>
                    <td class="number">{millis(row().longest)}</td>
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
  // A turn grows in place; the version changes with it.
  const shown = createMemo(on([cockpit.version, () => props.turn], ([, turn]) => waterfall(turn)));
  const share = (ms: number): string => `${(ms / Math.max(shown().whole, 1e-6)) * 100}%`;
  return (
    <table class="waterfall">
      <caption class="dim">
        {millis(shown().whole)}, of which {millis(shown().rest)} for the team's plan and the work around the agents
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
              <td class="number">{millis(bar().spent)}</td>
              <td class="mono clip">{bar().action || bar().outcome}</td>
            </tr>
          )}
        </Index>
      </tbody>
    </table>
  );
}
