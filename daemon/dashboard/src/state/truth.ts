/** The world of a hosted arena as it is, while somebody wants to see it. */
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Turn } from "../gen/phalanx/v1/team_pb";
import type { World } from "../gen/phalanx/v1/worlds_pb";
import { LIVE, type StreamState } from "../live/follow";
import { tab } from "../live/outside";
import { poll } from "../live/poll";
import { isAfter } from "../match/history";
import { Reel } from "../map/reel";
import type { LiveWorlds } from "../views/map";
import { faultOf } from "../api/fault";
import { useCockpit } from "./cockpit";

/** Interval between looks, in milliseconds; the answer is empty while nothing changes. */
const LOOK_EVERY = 200;

/** The truth as worlds, and the one of a turn. */
export interface Truth extends LiveWorlds {
  /** The world of this turn, else the newest one. */
  readonly of: (turn: Turn | undefined) => { world: World; same: boolean } | undefined;
}

/** Looks at the world of this arena while `wanted` holds. */
export function followTruth(arena: Accessor<string>, wanted: Accessor<boolean>): Truth {
  const cockpit = useCockpit();
  const reel = new Reel();
  const [count, setCount] = createSignal(0);
  const [state, setState] = createSignal<StreamState>({ kind: "connecting" });
  createEffect(
    on([arena, wanted, cockpit.entered], ([name, now]) => {
      if (name === "" || !now) return;
      let etag = "";
      const look = async (signal: AbortSignal): Promise<void> => {
        try {
          const answer = await cockpit.api.arenas.getArenaWorld({ name, etag }, { signal });
          setState(LIVE);
          etag = answer.etag;
          if (answer.world === undefined) return;
          const world = inTeamTurns(answer.world);
          const before = reel.worlds.at(-1)?.turn;
          // The next match begins.
          if (before !== undefined && world.turn !== undefined && isAfter(before, world.turn)) reel.worlds.length = 0;
          reel.take(world);
          setCount((before) => before + 1);
        } catch (error) {
          if (!signal.aborted) setState({ kind: "lost", text: faultOf(error).text });
        }
      };
      onCleanup(poll(LOOK_EVERY, look, tab).stop);
    }),
  );
  return {
    reel,
    count,
    state,
    of(turn) {
      count();
      const { worlds } = reel;
      const exact = worlds.findLast((world) => world.turn?.round === turn?.round && world.turn?.step === turn?.step);
      const world = exact ?? worlds.at(-1);
      return world === undefined ? undefined : { world, same: exact !== undefined };
    },
  };
}

/** A referee counts the rounds that have begun; teams count from 0. */
function inTeamTurns(world: World): World {
  return world.turn === undefined ? world : { ...world, turn: { ...world.turn, round: Math.max(0, world.turn.round - 1) } };
}
