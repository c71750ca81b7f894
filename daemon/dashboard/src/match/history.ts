/** A team's events in bounded form: the last turns, the last lines, the score. */
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Grounds, MatchEvent } from "../gen/phalanx/v1/matches_pb";
import { describe, type Line } from "./words";

/** The outcome of an agent's turn, from good to bad. */
export const OUTCOMES = ["decided", "ordered", "held", "fallback", "late"] as const;
/** One of them. */
export type Outcome = (typeof OUTCOMES)[number];

/** A moment of a match. */
export interface Moment {
  readonly round: number;
  readonly step: number;
}

/** Whether one moment comes after another. */
export function isAfter(a: Moment, b: Moment): boolean {
  return a.round > b.round || (a.round === b.round && a.step > b.step);
}

/** Whether the outcome is a problem. */
export function isBad({ outcome }: Part): boolean {
  return outcome === "late" || outcome === "fallback";
}

/** How often each outcome is in these turns. */
export function counts(turns: readonly TurnRecord[]): Record<Outcome, number> {
  const found: Record<Outcome, number> = { decided: 0, ordered: 0, held: 0, fallback: 0, late: 0 };
  for (const turn of turns) for (const part of turn.parts.values()) found[part.outcome] += 1;
  return found;
}

/** One agent in one turn. */
export interface Part {
  outcome: Outcome;
  /** Time of the script, in milliseconds; undefined: unknown. */
  spent: number | undefined;
  action: string;
  reason: string;
  /** The line of the script that gave the reason, made the action, or failed. */
  place?: SourceLine | undefined;
  /** Where the action was made, if the reason was given elsewhere. */
  made?: SourceLine | undefined;
}

/** A line of the strategy. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

/** One turn of a team. */
export interface TurnRecord {
  readonly round: number;
  readonly step: number;
  readonly parts: Map<string, Part>;
  /** The team's score after it; undefined where the server does not report it. */
  score: number | undefined;
  /** Time of all scripts, in milliseconds; undefined until the turn is done. */
  spent: number | undefined;
  generation: number;
  /** Script errors that concern the whole team. */
  errors: number;
}

/** A line with the place where it happened. */
export interface Entry extends Line {
  readonly id: number;
  readonly agent: string;
  readonly round: number | undefined;
  readonly step: number | undefined;
}

/** Turns and lines that are kept. */
export const KEEP = { turns: 300, lines: 2_000, agents: 1_000 } as const;

/** The history of one team, as far as its events arrived. */
export class History {
  /** The last turns, the oldest first. */
  readonly turns: TurnRecord[] = [];
  /** The last lines, the oldest first; single decisions are in the turns. */
  readonly lines: Entry[] = [];
  /** All agents that were asked, in the order of their first turns. */
  readonly agents: string[] = [];
  private next = 0;
  private newest: Moment | undefined;

  constructor(private readonly turnsMax: number = KEEP.turns) {}

  /** Removes everything: the daemon restarted, or events are missing. */
  clear(): void {
    this.turns.length = 0;
    this.lines.length = 0;
    this.agents.length = 0;
    this.newest = undefined;
  }

  /** Takes one event. */
  apply(event: MatchEvent): void {
    const { kind, agent } = event;
    switch (kind.case) {
      case "decided":
        this.part(event, "decided", kind.value.spent, kind.value.action, kind.value.reason, kind.value.grounds);
        return;
      case "fallback":
        this.part(event, "fallback", kind.value.spent, "", kind.value.reason, kind.value.grounds);
        break;
      case "ordered":
        this.part(event, "ordered", undefined, kind.value.action, `ordered by ${kind.value.by}`);
        return;
      case "held":
        this.part(event, "held", undefined, "", `held by ${kind.value.by}`);
        return;
      case "late":
      case "defaulted":
        this.part(event, "late", undefined, "", describe(event).text);
        break;
      case "turnDone": {
        const turn = this.turn(event);
        if (turn !== undefined) {
          turn.spent = milliseconds(kind.value.spent);
          turn.score = kind.value.score === undefined ? turn.score : Number(kind.value.score);
        }
        return;
      }
      case "scriptError": {
        const turn = this.turn(event);
        if (turn !== undefined) turn.errors += 1;
        break;
      }
      default:
        break;
    }
    const line = describe(event);
    this.lines.push({ ...line, id: this.next, agent, round: event.turn?.round, step: event.turn?.step });
    this.next += 1;
    if (this.lines.length > KEEP.lines) this.lines.splice(0, this.lines.length - KEEP.lines);
  }

  /** The turn of an event; undefined for events outside of turns. */
  private turn(event: MatchEvent): TurnRecord | undefined {
    const { turn } = event;
    if (turn === undefined) return undefined;
    // Almost always it is the last one; late answers belong to those before it. What is newer than all is none of them.
    const newer = this.newest === undefined || isAfter(turn, this.newest);
    const known = newer ? undefined : this.turns.findLast(({ round, step }) => round === turn.round && step === turn.step);
    if (known !== undefined) return known;
    if (newer) this.newest = turn;
    const fresh: TurnRecord = {
      round: turn.round,
      step: turn.step,
      parts: new Map(),
      score: undefined,
      spent: undefined,
      generation: event.generation,
      errors: 0,
    };
    this.turns.push(fresh);
    if (this.turns.length > this.turnsMax) this.turns.shift();
    return fresh;
  }

  private part(event: MatchEvent, outcome: Outcome, spent: Duration | undefined, action: string, reason: string, grounds?: Grounds): void {
    const turn = this.turn(event);
    if (turn === undefined || event.agent === "") return;
    if (!this.agents.includes(event.agent) && this.agents.length < KEEP.agents) this.agents.push(event.agent);
    const before = turn.parts.get(event.agent);
    const worst = before === undefined || OUTCOMES.indexOf(before.outcome) < OUTCOMES.indexOf(outcome);
    turn.parts.set(event.agent, {
      outcome: worst ? outcome : before.outcome,
      spent: milliseconds(spent) ?? before?.spent,
      action: action || (before?.action ?? ""),
      reason: reason || (before?.reason ?? ""),
      ...(grounds === undefined ? { place: before?.place, made: before?.made } : placesOf(grounds, outcome)),
    });
  }
}

function placesOf({ file, line, reasonFile, reasonLine }: Grounds, outcome: Outcome): Pick<Part, "place" | "made"> {
  const made = file === "" ? undefined : { file, line };
  if (outcome !== "decided" || reasonFile === "") return { place: made, made: undefined };
  const same = reasonFile === file && reasonLine === line;
  return { place: { file: reasonFile, line: reasonLine }, made: same ? undefined : made };
}

/** A duration in milliseconds. */
export function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : Number(duration.seconds) * 1_000 + duration.nanos / 1e6;
}
