/** Bodies between two worlds: each glides from where it was to where it is. */
import { WorldSide, type WorldBody } from "../gen/phalanx/v1/worlds_pb";
import type { Point } from "./geometry";
import { SIZES } from "./look";
import { signsOf } from "./names";
import { middle, type Ground } from "./place";
import { isJump } from "./torus";
import type { Stage } from "./stage";

/** A glide lasts at most so long, however slow the match is, and at least so long, in milliseconds. */
export const GLIDE = { most: 700, least: 60 } as const;
/** A unit without a name that is so far from one before is another one, in map units. */
const SAME = 3.2;

/** Somebody on the map. */
export interface Figure {
  /** The same in each world. */
  readonly key: string;
  readonly body: WorldBody;
  /** The letters inside. */
  readonly sign: string;
  /** Where it is, in map units; those on one place are beside each other. */
  readonly at: Point;
  /** How much smaller it is than one that is alone. */
  readonly scale: number;
}

/** What moved, and since when. */
export class Motion {
  private before = new Map<string, Point>();
  private figures = new Map<string, readonly Figure[]>();
  private began = 0;
  private length = 0;
  private unnamed = 0;

  /** The next world; `length` is how long its bodies glide, in milliseconds, and 0 that they do not. */
  take(stage: Stage, now: number, length: number): void {
    const from = new Map<string, Point>();
    const figures = new Map<string, readonly Figure[]>();
    for (const { part, ground } of stage.settings) {
      const old = this.of(part.name).map((figure) => ({ ...figure, at: this.at(figure, ground, now) }));
      const next = this.arranged(part.name, part.bodies, ground, old);
      for (const { key, at } of old) from.set(key, at);
      figures.set(part.name, next);
    }
    const walks = ({ key, at }: Figure): boolean => {
      const old = from.get(key);
      return old !== undefined && (old.x !== at.x || old.y !== at.y);
    };
    const moved = [...figures.values()].some((some) => some.some(walks));
    [this.before, this.figures, this.began, this.length] = [from, figures, now, moved ? length : 0];
  }

  /** Those of a part. */
  of(part: string): readonly Figure[] {
    return this.figures.get(part) ?? [];
  }

  /** Whether anything moves. */
  moves(now: number): boolean {
    return now < this.began + this.length;
  }

  /** Where somebody is at this moment. */
  at({ key, at }: Figure, ground: Ground, now: number): Point {
    const from = this.before.get(key);
    if (from === undefined || !this.moves(now)) return at;
    const share = Math.max(0, (now - this.began) / this.length);
    const [x, y] = [near(from.x, at.x, ground.around.x), near(from.y, at.y, ground.around.y)];
    // Without a torus a long way is no step: it was elsewhere in between.
    if (isJump(at.x - x, ground.around.x) || isJump(at.y - y, ground.around.y)) return at;
    return { x: x + (at.x - x) * share, y: y + (at.y - y) * share };
  }

  private arranged(part: string, bodies: readonly WorldBody[], ground: Ground, old: readonly Figure[]): Figure[] {
    const places = bodies.map((body) => middle(ground, body.place));
    const crowds = new Map<string, number>();
    const key = ({ x, y }: Point): string => `${x.toFixed(2)},${y.toFixed(2)}`;
    for (const place of places) if (place !== undefined) crowds.set(key(place), (crowds.get(key(place)) ?? 0) + 1);
    const nth = new Map<string, number>();
    const signs = signsOf(bodies);
    const strangers = old.filter(({ body }) => body.name === "" && body.agent === undefined);
    const found: Figure[] = [];
    for (const [index, body] of bodies.entries()) {
      const place = places[index];
      if (place === undefined) continue;
      const [count, before] = [crowds.get(key(place)) ?? 1, nth.get(key(place)) ?? 0];
      nth.set(key(place), before + 1);
      const { dx, dy, scale } = beside(before, count, ground.unit);
      const at = { x: place.x + dx, y: place.y + dy };
      found.push({ key: this.keyOf(part, body, at, strangers), body, sign: signs[index] ?? "", at, scale });
    }
    // Ours are in front.
    return found.sort((a, b) => Number(a.body.side === WorldSide.OURS) - Number(b.body.side === WorldSide.OURS));
  }

  private keyOf(part: string, body: WorldBody, at: Point, strangers: Figure[]): string {
    if (body.name !== "" || body.agent !== undefined) return `${part}\n${body.agent ?? ""}\n${body.name}`;
    let [best, least] = [-1, SAME];
    for (const [index, other] of strangers.entries()) {
      const far = Math.abs(other.at.x - at.x) + Math.abs(other.at.y - at.y);
      if (other.body.side === body.side && far < least) [best, least] = [index, far];
    }
    const [same] = best < 0 ? [] : strangers.splice(best, 1);
    if (same !== undefined) return same.key;
    this.unnamed += 1;
    return `${part}\n?${this.unnamed}`;
  }
}

/** Where one of several on the same place is, as square as they can be. */
function beside(nth: number, count: number, unit: number): { dx: number; dy: number; scale: number } {
  if (count === 1) return { dx: 0, dy: 0, scale: 1 };
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / columns);
  const scale = Math.min(0.8, Math.max(0.55, 1.6 / columns));
  const shift = (index: number, all: number): number => (index - (all - 1) / 2) * 2.1 * scale * SIZES.body * unit;
  return { dx: shift(nth % columns, Math.min(columns, count)), dy: shift(Math.floor(nth / columns), rows), scale };
}

/** The copy of a place on a torus that is nearest to another place. */
function near(from: number, to: number, around: number): number {
  return around === 0 ? from : from + Math.round((to - from) / around) * around;
}

/** How long bodies glide if worlds arrive so far apart, in milliseconds. */
export function glide(gap: number, still: boolean): number {
  return still ? 0 : Math.max(GLIDE.least, Math.min(GLIDE.most, gap));
}
