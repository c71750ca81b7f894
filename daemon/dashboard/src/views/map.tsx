/** The world as the team believes it. */
import { createContext, createEffect, createSignal, on, onCleanup, type Accessor, type JSX } from "solid-js";
import type { World, WorldPlace } from "../gen/phalanx/v1/worlds_pb";
import { follow, type StreamState } from "../live/follow";
import { tab } from "../live/outside";
import { RATE, Reel } from "../map/reel";
import { useCockpit } from "../state/cockpit";
import { TurnSlider } from "../ui/turn-slider";
import { createErrands } from "./map-orders";
import { MapPane } from "./map-pane";

/** The worlds that the daemon streams while the view is open. */
export interface LiveWorlds {
  readonly reel: Reel;
  /** How many arrived; grows with the reel. */
  readonly count: Accessor<number>;
  readonly state: Accessor<StreamState>;
}

/** The worlds of the chosen team, where something around the view follows them already. */
export const WorldsContext = createContext<LiveWorlds>();

/** Follows a team's worlds; by default the chosen team's. */
export function followWorlds(name?: Accessor<string>): LiveWorlds {
  const cockpit = useCockpit();
  const reel = new Reel();
  const [count, setCount] = createSignal(0);
  const [state, setState] = createSignal<StreamState>({ kind: "connecting" });
  // The view is made anew for each team; another token may lift a refusal.
  createEffect(
    on([name ?? cockpit.name, cockpit.entered], ([team]) => {
      const stop = follow(
        {
          start: "",
          open: (_, signal, began) =>
            cockpit.api.worlds.watchWorld({ team: `teams/${team}`, rateMax: RATE }, { signal, onHeader: began }),
          cursorOf: () => "",
          take(item) {
            if (item.world === undefined) return;
            reel.take(item.world);
            setCount((before) => before + 1);
          },
          gap: () => undefined,
          state: setState,
        },
        tab,
      );
      onCleanup(stop);
    }),
  );
  return { reel, count, state };
}

/** The map as it is now, and as it was in the last turns. */
export function MapView(): JSX.Element {
  const worlds = followWorlds();
  return <LiveMap worlds={worlds} />;
}

/** The map of these worlds with a slider over them. */
export function LiveMap(props: {
  worlds: LiveWorlds;
  compact?: boolean;
  /** Names of the agents of the team whose worlds these are [default: of the team that is shown]. */
  agents?: readonly string[] | undefined;
  /** As in `MapPane`. */
  decorate?: (world: World) => World;
  picked?: { readonly part: string; readonly place: WorldPlace } | undefined;
  /** Between the map and its slider. */
  children?: JSX.Element;
}): JSX.Element {
  const cockpit = useCockpit();
  const errands = createErrands(props.worlds.count);
  const [back, setBack] = createSignal<number>();
  const last = (): number => (props.worlds.count(), props.worlds.reel.worlds.length - 1);
  const index = (): number => Math.min(back() ?? last(), last());
  const turn = (): { round: number; step: number } | undefined => (props.worlds.count(), props.worlds.reel.worlds[index()]?.turn);
  return (
    <MapPane
      title={cockpit.place().team}
      reel={props.worlds.reel}
      index={index()}
      version={props.worlds.count()}
      waiting={waiting(props.worlds.state())}
      chosen={cockpit.place().agent}
      choose={(agent) => { cockpit.go({ agent }); }}
      agents={props.agents ?? (cockpit.team()?.agents ?? []).map(({ name }) => name)}
      compact={props.compact === true}
      errands={errands}
      decorate={props.decorate}
      picked={props.picked}
    >
      {props.children}
      <Scrubber
        last={Math.max(0, last())}
        at={index()}
        step={turn()?.step}
        round={turn()?.round}
        live={back() === undefined}
        onMove={setBack}
      />
    </MapPane>
  );
}

function waiting(state: StreamState): string {
  if (state.kind === "refused") return state.fault.text;
  if (state.kind === "ended") return "The match is over and the daemon has no map of it. Open the recording to see it again.";
  return state.kind === "lost" ? `No map: ${state.text}` : "The map appears after the team's next turn.";
}

function Scrubber(props: {
  last: number;
  at: number;
  step: number | undefined;
  round: number | undefined;
  live: boolean;
  onMove: (to: number | undefined) => void;
}): JSX.Element {
  return (
    <div class="scrubber">
      <TurnSlider
        label="Turn that is shown"
        last={props.last}
        at={props.at}
        text={`turn ${props.round ?? 0}:${props.step ?? 0}`}
        onMove={(to) => { props.onMove(to >= props.last ? undefined : to); }}
      />
      <output>{props.step === undefined ? "–" : `${props.round ?? 0}:${props.step}`}</output>
      <button
        type="button"
        aria-pressed={props.live}
        onClick={() => {
          props.onMove(props.live ? props.at : undefined);
        }}
      >
        {props.live ? "Pause" : "Live"}
      </button>
    </div>
  );
}
