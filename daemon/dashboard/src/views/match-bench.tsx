/** The panels of a match, running or recorded, in the layout that the user chose. */
import { createMemo, createSignal, lazy, Match, Show, Suspense, Switch, type JSX } from "solid-js";
import { kindOf, titleOf, type Kind, type LineSpec } from "../layout/layouts";
import { panels } from "../layout/tree";
import type { Change } from "../match/changes";
import type { Entrant } from "../match/contest";
import type { Moment } from "../match/history";
import { createLayouts } from "../state/layouts";
import { followNumbers } from "../state/samples";
import type { Side } from "../state/sides";
import { HeatStrip } from "../ui/heat-strip";
import { Workbench } from "../ui/workbench";
import { AgentsView } from "./agents";
import { BoardView } from "./board";
import { EventsView } from "./events";
import { WorldsContext } from "./map";
import { Changes } from "./match-changes";
import { LayoutChoice, LayoutTools } from "./match-layouts";
import { PlotPanel } from "./match-plot";
import { Rosters } from "./match-roster";
import { RaceCard } from "./match-score";
import { Work, type PickedPlace } from "./match-work";
import { SeatsCard } from "./punctuality";
import { TimelineView } from "./timeline";
import "./match.css";

// The editor is by far the largest part, so it loads when its panel opens.
const StrategyView = lazy(() => import("./strategy"));

/** Panels that show a recorded match, too. */
const REPLAYED: ReadonlySet<Kind> = new Set(["map", "roster", "race", "work", "changes", "plot"]);
const NO_LINES: readonly LineSpec[] = [];

/** Everything that the panels share. */
export interface Bench {
  readonly sides: readonly Side[];
  readonly side: Side;
  readonly focus: (name: string) => void;
  readonly contest: readonly Entrant[];
  readonly changes: readonly Change[];
  readonly picked: PickedPlace | undefined;
  readonly pick: (place: PickedPlace | undefined) => void;
  /** The chosen agent; empty: none. */
  readonly chosen: string;
  readonly choose: (agent: string) => void;
  /** The turn of a recorded match that is shown; undefined: the match is running. */
  readonly moment: Moment | undefined;
  readonly live: boolean;
}

/** The score, the strip, and the panels. */
export function MatchBench(props: { bench: Bench; score: JSX.Element; strip: JSX.Element; map: () => JSX.Element }): JSX.Element {
  const layouts = createLayouts();
  const [arranging, setArranging] = createSignal(false);
  const [browsed, setBrowsed] = createSignal<ReadonlySet<string>>(new Set());
  const browse = (id: string, on: boolean): void => {
    setBrowsed((before) => new Set(on ? [...before, id] : [...before].filter((known) => known !== id)));
  };
  const wanted = createMemo((): ReadonlySet<string> => {
    const { tree, plots } = layouts.shown();
    if (!props.bench.live || tree === undefined) return new Set();
    const lines = panels(tree).flatMap((id) => plots[id] ?? NO_LINES);
    const all = browsed().size > 0 ? props.bench.sides.flatMap((_, at) => [`${at}/metric`, `${at}/board`, `${at}/daemon`]) : [];
    return new Set([...lines.map(({ side, from }) => `${side}/${from}`), ...all]);
  });
  const numbers = followNumbers(() => props.bench.sides, wanted);
  const hidden = createMemo((): ReadonlySet<string> => {
    const { tree } = layouts.shown();
    const all = tree === undefined ? [] : panels(tree);
    const empty = (kind: Kind | undefined): boolean => (kind === "work" && (props.bench.side.world()?.tables.length ?? 0) === 0) || (!props.bench.live && kind !== undefined && !REPLAYED.has(kind));
    return new Set(all.filter((id) => empty(kindOf(id))));
  }, new Set<string>(), { equals: (a, b) => [...a].join() === [...b].join() });
  const plot = (id: string): JSX.Element => (
    <PlotPanel
      title={titleOf(id)}
      lines={layouts.shown().plots[id] ?? NO_LINES}
      change={(lines) => { layouts.change({ plots: { ...layouts.shown().plots, [id]: lines } }); }}
      sides={props.bench.sides}
      numbers={numbers}
      browse={(on) => { browse(id, on); }}
      live={props.bench.live}
    />
  );
  return (
    <WorldsContext.Provider value={props.bench.live ? props.bench.sides.find(({ own }) => own)?.worlds() : undefined}>
      <div class="match" style={{ "--letters": `${layouts.shown().letters}` }}>
        {props.score}
        <div class="match-line">
          {props.strip}
          <LayoutChoice layouts={layouts} arranging={arranging()} arrange={setArranging} />
        </div>
        <Show when={arranging()}>
          <LayoutTools layouts={layouts} done={() => { setArranging(false); }} />
        </Show>
        <Show when={layouts.shown().tree} fallback={<p class="empty">This layout has no panel. Add one with “Arrange”.</p>}>
          {(tree) => (
            <Workbench tree={tree()} change={(next) => { layouts.change({ tree: next }); }} hidden={hidden()} arranging={arranging()} title={titleOf}>
              {(id) => (
                <Show when={kindOf(id) === "map"} fallback={<Panel id={id} bench={props.bench} plot={plot} />}>
                  {props.map()}
                </Show>
              )}
            </Workbench>
          )}
        </Show>
      </div>
    </WorldsContext.Provider>
  );
}

function Panel(props: { id: string; bench: Bench; plot: (id: string) => JSX.Element }): JSX.Element {
  const is = (kind: Kind): boolean => kindOf(props.id) === kind;
  const scrolled = (view: JSX.Element): JSX.Element => <div class="panel-scroll">{view}</div>;
  return (
    <Switch>
      <Match when={is("roster")}><Rosters sides={props.bench.sides} side={props.bench.side} focus={props.bench.focus} live={props.bench.live} chosen={props.bench.chosen} choose={props.bench.choose} /></Match>
      <Match when={is("race")}><RaceCard contest={props.bench.contest} changes={props.bench.changes} moment={props.bench.moment} /></Match>
      <Match when={is("work")}><Work side={props.bench.side} picked={props.bench.picked} pick={props.bench.pick} chosen={props.bench.chosen} choose={props.bench.choose} /></Match>
      <Match when={is("changes")}><Changes changes={props.bench.changes} contest={props.bench.contest} live={props.bench.live} /></Match>
      <Match when={is("plot")}>{props.plot(props.id)}</Match>
      <Match when={!props.bench.live}><p class="empty">A recording has no such panel.</p></Match>
      <Match when={is("agents")}>{scrolled(<AgentsView />)}</Match>
      <Match when={is("board")}>{scrolled(<BoardView polled />)}</Match>
      <Match when={is("events")}><EventsView /></Match>
      <Match when={is("turns")}>{scrolled(<Punctuality />)}</Match>
      <Match when={is("seats")}>{scrolled(<SeatsCard />)}</Match>
      <Match when={is("timeline")}>{scrolled(<TimelineView />)}</Match>
      <Match when={is("strategy")}>
        <Suspense fallback={<p class="empty">The editor is loading.</p>}><StrategyView /></Suspense>
      </Match>
    </Switch>
  );
}

function Punctuality(): JSX.Element {
  return (
    <section class="card" aria-labelledby="heat">
      <h2 id="heat">Answers turn by turn</h2>
      <HeatStrip />
    </section>
  );
}
