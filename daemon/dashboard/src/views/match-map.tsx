/** The map of the match in layers: what each team believes, and the truth where this daemon hosts the arena. */
import { createMemo, For, Show, type Accessor, type JSX } from "solid-js";
import type { World } from "../gen/phalanx/v1/worlds_pb";
import { sideOf } from "../match/contest";
import { differencesOf, outlined, type Difference } from "../match/differences";
import { mirrored } from "../match/mirror";
import { shortIds } from "../match/names";
import type { HostedArena } from "../state/arena";
import { COLOURS, type Side } from "../state/sides";
import type { Truth } from "../state/truth";
import { LiveMap } from "./map";
import type { PickedPlace } from "./match-work";

/** What the map shows, and what is chosen on it. */
export interface Layers {
  /** The truth is shown, and not what the team in focus believes. */
  readonly truth: Accessor<boolean>;
  readonly showTruth: (on: boolean) => void;
  /** Differences are outlined. */
  readonly compared: Accessor<boolean>;
  readonly compare: (on: boolean) => void;
  readonly picked: Accessor<PickedPlace | undefined>;
}

/** The map with the switch of its layers. */
export function MatchMap(props: { sides: readonly Side[]; side: Side; focus: (name: string) => void; hosted: HostedArena; truth: Truth; layers: Layers }): JSX.Element {
  const hosts = (): boolean => props.hosted.arena() !== undefined;
  const shown = (): boolean => hosts() && props.layers.truth();
  /** The arena's colours are those of the first team of its verdict. */
  const reversed = createMemo(() => {
    const own = props.sides.find((side) => side.own);
    const agents = (own?.team()?.agents ?? []).map(({ name }) => name);
    const side = own === undefined ? undefined : sideOf({ name: own.name, agents }, props.hosted.arena());
    const first = (props.hosted.version(), props.hosted.verdicts.last ?? props.hosted.arena()?.verdict)?.scores[0]?.team;
    return side !== undefined && first !== undefined && side !== first;
  });
  const belief = createMemo((): World | undefined => props.side.world());
  /** The truth of the turn that the team believes in; until it has come, the one before. */
  const truth = createMemo((before: { world: World; same: boolean } | undefined) => {
    if (!hosts() || !props.layers.compared()) return undefined;
    const found = props.truth.of(belief()?.turn);
    return found?.same === true || before === undefined || before.world.turn?.round !== belief()?.turn?.round ? found : before;
  });
  const inColour = (world: World): World => (props.side.own ? world : mirrored(world));
  const truly = (world: World): World => (reversed() ? mirrored(world) : world);
  const differences = createMemo((): readonly Difference[] => {
    const [believed, real] = [belief(), truth()];
    if (believed === undefined || real === undefined) return [];
    return differencesOf(inColour(believed), truly(real.world), isSame(believed, real.world));
  });
  const decorate = createMemo((): ((world: World) => World) => {
    const [found, inTruth] = [differences(), shown()];
    return (world) => outlined(inTruth ? truly(world) : inColour(world), found, inTruth ? "truly" : "believed");
  });
  return (
    <LiveMap worlds={shown() ? props.truth : props.side.worlds()} agents={props.side.team()?.agents.map(({ name }) => name)} decorate={decorate()} picked={shown() ? undefined : props.layers.picked()} compact>
      <Show when={props.sides.length > 1 || hosts()}>
        <LayerSwitch sides={props.sides} side={props.side} focus={props.focus} layers={props.layers} hosts={hosts()} shown={shown()} count={differences().length} />
      </Show>
    </LiveMap>
  );
}

/** The switch between what the teams believe and the truth. */
export function LayerSwitch(props: { sides: readonly Side[]; side: Side; focus: (name: string) => void; layers: Pick<Layers, "showTruth" | "compared" | "compare">; hosts: boolean; shown: boolean; count: number }): JSX.Element {
  return (
    <div class="layer-switch">
      <span class="switch" role="group" aria-label="What the map shows">
        <For each={props.sides}>
          {(side, at) => (
            <button
              type="button"
              data-layer={side.name}
              aria-pressed={!props.shown && side === props.side}
              style={{ "--colour": `var(${COLOURS[at() % COLOURS.length] ?? "--dim"})` }}
              onClick={() => { props.layers.showTruth(false); props.focus(side.name); }}
            >
              {shortIds(side.name)} believes
            </button>
          )}
        </For>
        <Show when={props.hosts}>
          <button type="button" data-layer="truth" aria-pressed={props.shown} onClick={() => { props.layers.showTruth(true); }}>
            Truth
          </button>
        </Show>
      </span>
      <Show when={props.hosts}>
        <button type="button" class="differences" aria-pressed={props.layers.compared()} title={`Outlines where what ${props.side.name} believes and the truth differ`} onClick={() => { props.layers.compare(!props.layers.compared()); }}>
          Differences{props.layers.compared() ? ` ${props.count.toLocaleString("en")}` : ""}
        </button>
      </Show>
    </div>
  );
}

function isSame(a: World, b: World): boolean {
  return a.turn?.round === b.turn?.round && a.turn?.step === b.turn?.step;
}
