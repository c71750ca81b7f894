/** Events as people read them. */
import { AlertKind, SeatState, TeamEnd, TeamState, type Steering } from "../gen/phalanx/v1/team_pb";
import { DefaultCause, NoticeKind, SteerCause, type MatchEvent } from "../gen/phalanx/v1/matches_pb";
import { valueText } from "./values";

/** How much a line matters. */
export type Level = "debug" | "info" | "warn" | "error";
/** What a line is about, for filters. */
export const TOPICS = ["troubles", "logs", "alerts", "steering", "strategy", "seats", "match", "board"] as const;
/** One of them. */
export type Topic = (typeof TOPICS)[number];

/** An event in words. */
export interface Line {
  readonly level: Level;
  readonly topic: Topic;
  readonly text: string;
}

const line = (level: Level, topic: Topic, text: string): Line => ({ level, topic, text });

/** The word of an enum's value, as a person writes it: `SILENT_AGENT` is `silent agent`. */
export function word(names: Readonly<Record<number, string>>, value: number): string {
  return (names[value] ?? `unknown (${value})`).toLowerCase().replaceAll("_", " ");
}

/** Says in words what happened. */
export function describe({ kind }: MatchEvent): Line {
  switch (kind.case) {
    case "seatChanged": {
      const { seat, state, reason, failures } = kind.value;
      const why = reason === "" ? "" : `: ${reason}`;
      const level = state === SeatState.REFUSED ? "error" : failures > 0 ? "warn" : "info";
      return line(level, "seats", `seat ${seat} is ${word(SeatState, state)}${why}`);
    }
    case "roundStarted":
      return line("info", "match", "a round begins");
    case "roundOver": {
      const rank = kind.value.ranking === undefined ? "" : `, rank ${kind.value.ranking}`;
      return line("info", "match", `the round is over: score ${kind.value.score}${rank}`);
    }
    case "matchOver":
      return line("info", "match", "the match is over");
    case "turnDone":
      return line("debug", "match", `${kind.value.decided} of ${kind.value.asked} decided`);
    case "decided":
      return line("debug", "match", kind.value.action);
    case "ordered":
      return line("info", "steering", `${kind.value.action}, ordered by ${kind.value.by}`);
    case "held":
      return line("debug", "steering", `held by ${kind.value.by}`);
    case "fallback":
      return line("error", "troubles", `fallback: ${kind.value.reason}`);
    case "scriptError":
      return line("error", "troubles", `${kind.value.call}: ${kind.value.reason}`);
    case "defaulted":
      return line("error", "troubles", DEFAULTED[kind.value.cause]);
    case "late":
      return line("error", "troubles", "decided too late: the turn was closed");
    case "notice":
      return line("warn", "troubles", `${NOTICES[kind.value.kind]}: ${kind.value.text}`);
    case "eventsLost":
      return line("warn", "troubles", `${kind.value.count} events are missing here`);
    case "scriptLog":
      return line(levelOf(kind.value.level), "logs", kind.value.text);
    case "alertBegan":
      return line("error", "alerts", `${word(AlertKind, kind.value.alert)}: ${kind.value.text}`);
    case "alertEnded":
      return line("info", "alerts", `${word(AlertKind, kind.value.alert)} is over after ${kind.value.turns} turns`);
    case "generationActivated": {
      const note = kind.value.note === "" ? "" : `, ${kind.value.note}`;
      const by = kind.value.activated?.origin ?? "";
      return line("info", "strategy", `generation ${kind.value.activated?.number ?? 0} decides (${by}${note})`);
    }
    case "strategyRefused": {
      const first = kind.value.faults[0];
      const where = first === undefined ? "" : `: ${first.file}:${first.line}: ${first.message}`;
      return line("error", "strategy", `a strategy of ${kind.value.origin} was refused${where}`);
    }
    case "generationTakenBack":
      return line("error", "strategy", `generation ${kind.value.failed} was taken back: ${kind.value.reason}`);
    case "paramSet": {
      const { name, scope, value, by } = kind.value;
      const what = value === "" ? "is taken back" : `is ${value}`;
      return line("info", "strategy", `${name} ${what} for ${scope}, by ${by}`);
    }
    case "scriptRan": {
      const how = kind.value.trouble === "" ? "" : `, which failed: ${kind.value.trouble}`;
      return line("info", "steering", `${kind.value.by} ran ${kind.value.code}${how}`);
    }
    case "roleSet":
      return line("info", "steering", `${kind.value.before} becomes ${kind.value.role}, by ${kind.value.by}`);
    case "steered": {
      const why = STEERED[kind.value.cause];
      const by = kind.value.by === "" ? why : `by ${kind.value.by}`;
      return line("info", "steering", `${steeringText(kind.value.steering)}, ${by}`);
    }
    case "left":
      return line("info", "seats", kind.value.server === "" ? `stopped by ${kind.value.by}` : `goes to ${kind.value.server}, by ${kind.value.by}`);
    case "returned":
      return line("info", "seats", `dials ${kind.value.server}, by ${kind.value.by}`);
    case "agentAdded":
      return line("info", "steering", `added as ${kind.value.role} by ${kind.value.by}`);
    case "agentRemoved":
      return line("info", "steering", `removed by ${kind.value.by}`);
    case "boardSet": {
      const value = kind.value.value === undefined ? "deleted" : `set to ${valueText(kind.value.value)}`;
      return line("info", "board", `${kind.value.key} ${value} by ${kind.value.by}`);
    }
    case "retuned":
      return line("info", "match", `${kind.value.changes}, by ${kind.value.by}`);
    case "resumed":
      return line("info", "match", `goes on with what it knew; ${kind.value.missed} turns went by`);
    case "checkpointRefused":
      return line("warn", "match", `begins anew: ${kind.value.reason}`);
    case undefined:
      return line("debug", "match", "something that this page does not know");
  }
}

const DEFAULTED: Record<DefaultCause, string> = {
  [DefaultCause.UNSPECIFIED]: "the team's own answer was not sent",
  [DefaultCause.NOBODY_DECIDED]: "nobody decided in time: the harmless action was sent",
  [DefaultCause.SUPERSEDED]: "the referee asked for the next turn while this one was open",
  [DefaultCause.DISCONNECTED]: "the connection was lost while the turn was open",
};
const NOTICES: Record<NoticeKind, string> = {
  [NoticeKind.UNSPECIFIED]: "unexpected",
  [NoticeKind.MALFORMED]: "malformed message skipped",
  [NoticeKind.UNKNOWN]: "unknown message skipped",
  [NoticeKind.ANSWER_LOST]: "an answer was not counted",
};
const STEERED: Record<SteerCause, string> = {
  [SteerCause.UNSPECIFIED]: "",
  [SteerCause.OPERATOR]: "an operator wanted it",
  [SteerCause.TURNS_OVER]: "its turns are over",
  [SteerCause.LEASE_OVER]: "its pilot gave no order",
};

function levelOf(text: string): Level {
  return text === "error" || text === "warn" || text === "debug" ? text : "info";
}

/** Who decides for an agent. */
export function steeringText(steering: Steering | undefined): string {
  const mode = steering?.mode;
  switch (mode?.case) {
    case "paused":
      return `paused by ${mode.value.by}`;
    case "pinned":
      return `${mode.value.order} for ${mode.value.turnsLeft} turns, by ${mode.value.by}`;
    case "piloted":
      return `driven by ${mode.value.by}`;
    case "script":
    case undefined:
      return "its script decides";
  }
}

/** What a team is doing. */
export function teamStateText(state: TeamState, end: TeamEnd): string {
  return state === TeamState.OVER && end !== TeamEnd.UNSPECIFIED ? word(TeamEnd, end) : word(TeamState, state);
}
