/** The sources to which the line numbers of a match belong: the generation that decides, or an older one. */
import { createEffect, createMemo, createSignal, on, untrack, type Accessor } from "solid-js";
import type { Generation, StrategyFile } from "../gen/phalanx/v1/strategies_pb";
import { useCockpit } from "../state/cockpit";
import { sourceOf } from "./changes";
import type { Note } from "./notes";
import type { Stage } from "./source";
import type { Workspace } from "./workspace";

/** The sources of the match that is shown. */
export interface Origins {
  /** A file as a generation had it; undefined: it is not known. */
  readonly source: (generation: number, file: string) => string | undefined;
  /** The version that decided in the turn that is shown is not kept here. */
  readonly foreign: () => boolean;
}

/** Looks for the generations of the match that is shown among those that the team keeps. */
export function createOrigins(workspace: Workspace, stage: Stage, notes: Accessor<readonly Note[]>): Origins {
  const cockpit = useCockpit();
  const { strategies } = cockpit.api;
  const [found, setFound] = createSignal<ReadonlyMap<number, readonly StrategyFile[] | "asked" | "unknown">>(new Map());
  const active = createMemo(() => workspace.strategy()?.generation?.number);
  const shown = createMemo(() => stage.turn()?.generation);
  const began = createMemo(() => stage.source().began());
  let looks = 0;
  createEffect(on([active, began], () => {
    looks += 1;
    setFound(new Map());
  }));
  const keep = (generation: number, files: readonly StrategyFile[] | "asked" | "unknown"): void => {
    setFound((before) => new Map(before).set(generation, files));
  };
  const look = async (generation: number): Promise<void> => {
    const mine = looks;
    const { number, hash } = began();
    keep(generation, "asked");
    const { generations } = await strategies.listGenerations({ parent: workspace.team, pageSize: 100 });
    const running = stage.source().recording === "";
    const known = running ? generations.find((one) => one.number === generation) : matching(generations, generation, number, hash);
    const files = known === undefined ? undefined : (await strategies.getGeneration({ name: known.name })).generation?.files;
    if (mine === looks) keep(generation, files ?? "unknown");
  };
  const wanted = createMemo(() => [...new Set(notes().map(({ generation }) => generation))].sort().join());
  createEffect(on([wanted, active, began], ([numbers, deciding, { hash }]) => {
    const running = stage.source().recording === "";
    // A recording says by its hash with what it was played.
    if (deciding === undefined || numbers === "" || (!running && hash === "")) return;
    for (const generation of numbers.split(",").map(Number)) {
      if (untrack(found).has(generation) || (running && generation === deciding)) continue;
      look(generation).catch(() => { keep(generation, "unknown"); });
    }
  }));
  return {
    source(generation, file) {
      if (stage.source().recording === "" && generation === active()) return workspace.original(file);
      const files = found().get(generation);
      return typeof files === "object" ? sourceOf(files, file) : undefined;
    },
    foreign() {
      const generation = shown();
      return stage.source().recording !== "" && generation !== undefined && found().get(generation) === "unknown";
    },
  };
}

/** The kept generation that a recording means by a number: the one with the hash with which it began, or a later one of the same history. */
function matching(kept: readonly Generation[], wanted: number, number: number, hash: string): Generation | undefined {
  if (wanted === number) return kept.find((one) => one.hash === hash);
  const same = kept.some((one) => one.number === number && one.hash === hash);
  return same ? kept.find((one) => one.number === wanted) : undefined;
}
