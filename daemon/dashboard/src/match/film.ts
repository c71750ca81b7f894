/** A recorded match, as far as it is shown: what was decided and why, and the world as it was believed. */
import { fromBinary } from "@bufbuild/protobuf";
import { MatchEventSchema } from "../gen/phalanx/v1/matches_pb";
import type { ReplayRecordingResponse } from "../gen/phalanx/v1/recordings_pb";
import { WorldSchema } from "../gen/phalanx/v1/worlds_pb";
import { Reel } from "../map/reel";
import { counts, History, isAfter, type Moment, type Outcome, type Part, type TurnRecord } from "./history";

/** What is kept of a recording: more than any match has, less than a browser can hold. */
export const FILM = { turns: 20_000, worlds: 2_000 } as const;
/** The channel of decisions, and all that are shown. */
export const DECISIONS = ["/journal"];
export const CHANNELS = [...DECISIONS, "/world"];

/** A recording in memory. */
export class Film {
  readonly history = new History(FILM.turns);
  readonly reel = new Reel(FILM.worlds);
  /** What could not be read. */
  readonly damage: string[] = [];

  /** Takes a message of the recording; what is not shown is passed over. */
  take({ messageType, data, damage }: ReplayRecordingResponse): void {
    if (damage !== "") this.damage.push(damage);
    else if (messageType === MatchEventSchema.typeName) this.history.apply(fromBinary(MatchEventSchema, data));
    else if (messageType === WorldSchema.typeName) this.reel.add(fromBinary(WorldSchema, data));
  }

  /** The index of the last world that was drawn up to this moment; the first one before that. */
  worldAt(moment: Moment): number {
    const found = this.reel.worlds.findLastIndex(({ turn }) => turn !== undefined && !isAfter(turn, moment));
    return Math.max(0, found);
  }

  /** The index of a turn; the nearest one before it where it is not there. */
  turnAt(moment: Moment): number {
    return Math.max(0, this.history.turns.findLastIndex((turn) => !isAfter(turn, moment)));
  }
}

/** A match in figures. */
export interface Figures {
  readonly turns: number;
  readonly score: number | undefined;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly errors: number;
  /** Milliseconds of the scripts in a turn. */
  readonly mean: number;
  readonly longest: number;
}

/** Sums a match up. */
export function figuresOf(turns: readonly TurnRecord[]): Figures {
  const spent = turns.flatMap((turn) => (turn.spent === undefined ? [] : [turn.spent]));
  const whole = spent.reduce((sum, ms) => sum + ms, 0);
  return {
    turns: turns.length,
    score: turns.findLast((turn) => turn.score !== undefined)?.score,
    outcomes: counts(turns),
    errors: turns.reduce((sum, turn) => sum + turn.errors, 0),
    mean: spent.length === 0 ? 0 : whole / spent.length,
    longest: Math.max(0, ...spent),
  };
}

/** A decision that came out otherwise. */
export interface Difference extends Moment {
  readonly agent: string;
  readonly one: Part;
  readonly other: Part;
}

/** What two matches of the same agents decided in the same turns: how much there is to compare, how much differs, and the first differences. */
export function differences(
  one: readonly TurnRecord[],
  other: readonly TurnRecord[],
  most: number,
): { compared: number; different: number; first: Difference[] } {
  const there = new Map(other.map((turn) => [`${turn.round}:${turn.step}`, turn]));
  const found = { compared: 0, different: 0, first: [] as Difference[] };
  for (const turn of one) {
    const twin = there.get(`${turn.round}:${turn.step}`);
    if (twin === undefined) continue;
    for (const [agent, part] of turn.parts) {
      const match = twin.parts.get(agent);
      if (match === undefined) continue;
      found.compared += 1;
      if (match.action === part.action && match.outcome === part.outcome) continue;
      found.different += 1;
      if (found.first.length < most) found.first.push({ round: turn.round, step: turn.step, agent, one: part, other: match });
    }
  }
  return found;
}

/** `2.4 MB`. */
export function sizeText(bytes: bigint): string {
  const value = Number(bytes);
  if (value < 1e3) return `${value} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(0)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}

/** `1:02:03`, or `2:03` below an hour. */
export function lengthText(ms: number): string {
  const seconds = Math.round(ms / 1e3);
  const two = (value: number): string => `${value}`.padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
