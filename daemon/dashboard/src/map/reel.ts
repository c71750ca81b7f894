/** The last worlds, to look back. */
import type { World } from "../gen/phalanx/v1/worlds_pb";
import { ground, middle, type Ground } from "./place";
import { merge } from "./scene";
import type { Point } from "./geometry";

/** Worlds a second that are asked for at most. */
export const RATE = 5;
/** Worlds that are kept, and places of a trail. */
export const REEL = { worlds: 240, trail: 12 } as const;

/** Worlds in the order in which they came. */
export class Reel {
  readonly worlds: World[] = [];
  private grounds = new Map<string, Ground>();

  constructor(private readonly worldsMax: number = REEL.worlds) {}

  /** Takes a message of the stream; what it leaves out comes from the last one. */
  take(message: World): void {
    const before = this.worlds.at(-1);
    const same = before !== undefined && before.tick <= message.tick && before.team === message.team;
    if (!same) this.clear();
    this.add(merge(same ? before : undefined, message));
  }

  /** Takes a whole world. */
  add(world: World): void {
    this.worlds.push(world);
    if (this.worlds.length > this.worldsMax) this.worlds.shift();
  }

  private clear(): void {
    this.worlds.length = 0;
    this.grounds = new Map();
  }

  /** Lays a part of a world out; a graph keeps its look from world to world. */
  groundOf(world: World, part: string): Ground | undefined {
    const found = world.parts.find((known) => known.name === part);
    if (found === undefined) return undefined;
    const before = this.grounds.get(part);
    const made = ground(found, before);
    // A look back at less of a graph must not forget where the rest of it is.
    if (before === undefined || made.names.length >= before.names.length) this.grounds.set(part, made);
    return made;
  }

  /** Where our agents were in the worlds up to this one, the oldest first. */
  trails(index: number, part: string, here: Ground): Map<string, Point[]> {
    const trails = new Map<string, Point[]>();
    for (const world of this.worlds.slice(Math.max(0, index - REEL.trail), index + 1)) {
      // A new round is a new world.
      if (world.turn?.round !== this.worlds[index]?.turn?.round) continue;
      const found = world.parts.find((known) => known.name === part);
      for (const body of found?.bodies ?? []) {
        const at = body.agent === undefined || body.name === "" ? undefined : middle(here, body.place);
        if (at === undefined) continue;
        const known = trails.get(body.name);
        if (known === undefined) trails.set(body.name, [at]);
        else known.push(at);
      }
    }
    return trails;
  }
}
