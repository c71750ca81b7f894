/** A recorded match: one turn, or playback of all turns. */
import { createEffect, createMemo, createSignal, For, Index, on, onCleanup, Show, type JSX } from "solid-js";
import { isBad, type Part, type TurnRecord } from "../match/history";
import { byNumber } from "../match/strip";
import { useCockpit } from "../state/cockpit";
import { loadFilm } from "../state/films";
import { TurnSlider } from "../ui/turn-slider";
import { MapPane } from "./map-pane";

/** Playback speeds in turns per second. */
const SPEEDS = [1, 2, 5, 10, 30] as const;

/** Map, reasons, and a slider over the turns. */
export function Player(props: { name: string; length: number }): JSX.Element {
  const cockpit = useCockpit();
  // The view is made anew for each recording.
  const { film, version, reached, done, trouble } = loadFilm(props.name);
  const [agent, setAgent] = createSignal("");
  const [speed, setSpeed] = createSignal(5);
  const [playing, setPlaying] = createSignal(false);
  const turns = (): readonly TurnRecord[] => (version(), film.history.turns);
  // The address changes only when the slider rests: browsers limit how often it may change.
  const [moment, setMoment] = createSignal(cockpit.place().turn);
  createEffect(on(() => cockpit.place().turn, setMoment, { defer: true }));
  const at = createMemo((): number => {
    const turn = moment();
    return (version(), turn === undefined ? 0 : film.turnAt(turn));
  });
  const now = (): TurnRecord | undefined => turns()[at()];
  const go = (index: number): void => {
    const turn = turns()[Math.max(0, Math.min(index, turns().length - 1))];
    if (turn !== undefined) setMoment({ round: turn.round, step: turn.step });
  };
  const rest = (): void => { cockpit.go({ turn: moment() }, { replace: true }); };
  createEffect(() => {
    if (!playing()) return;
    const timer = setInterval(() => {
      if (at() < turns().length - 1) go(at() + 1);
      else if (done()) stop();
    }, 1_000 / speed());
    onCleanup(() => { clearInterval(timer); });
  });
  const stop = (): void => {
    setPlaying(false);
    rest();
  };
  const share = (): string => `${Math.min(99, Math.round((reached() / Math.max(1, props.length)) * 100))} % loaded`;
  const drawn = (): string => {
    const turn = film.reel.worlds[film.worldAt(now() ?? { round: 0, step: 0 })]?.turn;
    return turn === undefined ? "" : `${turn.round}:${turn.step}`;
  };
  return (
    <div class="player">
      <MapPane
        title={props.name}
        reel={film.reel}
        index={now() === undefined ? -1 : film.worldAt(now() ?? { round: 0, step: 0 })}
        version={version()}
        waiting={trouble() || (done() ? "This recording has no pictures of the world." : "The recording is loading.")}
        chosen={agent()}
        choose={setAgent}
      >
        <div class="scrubber">
          <button type="button" aria-pressed={playing()} disabled={turns().length < 2} onClick={() => { if (playing()) stop(); else setPlaying(true); }}>
            {playing() ? "Stop" : "Play"}
          </button>
          <TurnSlider
            label="Turn of the recording"
            last={Math.max(0, turns().length - 1)}
            at={at()}
            text={`turn ${now()?.round ?? 0}:${now()?.step ?? 0}`}
            onMove={(to) => {
              setPlaying(false);
              go(to);
            }}
            onRest={rest}
          />
          <output>{now() === undefined ? "–" : `${now()?.round ?? 0}:${now()?.step ?? 0}`}</output>
          <label class="pace">
            <span class="hidden-label">Turns a second</span>
            <select value={speed()} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
              <For each={SPEEDS}>{(known) => <option value={known} selected={known === speed()}>{known} a second</option>}</For>
            </select>
          </label>
        </div>
      </MapPane>
      <section class="card scroll" aria-labelledby="decisions">
        <h2 id="decisions">
          Decisions of turn {now() === undefined ? "–" : `${now()?.round ?? 0}:${now()?.step ?? 0}`}
          <Show when={now()?.score !== undefined}>, score {now()?.score}</Show>
        </h2>
        <p class="dim" role="status">
          {done() ? `${turns().length} turns` : share()}
          <Show when={drawn() !== ""}>, the world as the team believed it in {drawn()}</Show>
        </p>
        <Show when={trouble() !== "" || film.damage.length > 0}>
          <p class="warn">{trouble() || film.damage[0]}</p>
        </Show>
        <Decisions turn={now()} chosen={agent()} choose={setAgent} />
      </section>
    </div>
  );
}

function Decisions(props: { turn: TurnRecord | undefined; chosen: string; choose: (agent: string) => void }): JSX.Element {
  const rows = createMemo((): (readonly [string, Part])[] =>
    [...(props.turn?.parts ?? [])].sort(([a], [b]) => byNumber(a, b)),
  );
  return (
    <table class="list decisions">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">Action</th>
          <th scope="col">Why</th>
          <th scope="col" class="number">Time</th>
        </tr>
      </thead>
      <tbody>
        <Index each={rows()} fallback={<tr><td colSpan={4} class="dim">The server asked no agent in this turn.</td></tr>}>
          {(row) => (
            <tr data-decision={row()[0]} data-chosen={row()[0] === props.chosen ? "" : undefined}>
              <th scope="row">
                <button type="button" class="as-link" onClick={() => { props.choose(row()[0]); }}>
                  {row()[0]}
                </button>
              </th>
              <td class="mono" data-bad={isBad(row()[1]) ? "error" : undefined}>
                {row()[1].action || row()[1].outcome}
              </td>
              <td class="wrap">{row()[1].reason}</td>
              <td class="number">{row()[1].spent === undefined ? "" : `${row()[1].spent?.toFixed(2) ?? ""} ms`}</td>
            </tr>
          )}
        </Index>
      </tbody>
    </table>
  );
}
