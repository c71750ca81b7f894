/** Events and states as people read them. */
import { TeamEnd, TeamState, type Steering } from "../gen/phalanx/v1/team_pb";
import type { MatchEvent } from "../gen/phalanx/v1/matches_pb";
import { counted } from "./names";

/** How much a line matters, in the order of `EventSeverity`. */
export const LEVELS = ["debug", "info", "warning", "error"] as const;
/** One of them. */
export type Level = (typeof LEVELS)[number];
/** What a line is about, for filters, in the order of `EventTopic`. */
export const TOPICS = ["trouble", "script", "alert", "steering", "strategy", "seat", "team", "match", "board"] as const;
/** One of them. */
export type Topic = (typeof TOPICS)[number];

/** An event in words. */
export interface Line {
  readonly level: Level;
  readonly topic: Topic;
  readonly text: string;
}

/** The word of an enum's value, as a person writes it: `SILENT_AGENT` is `silent agent`. */
export function word(names: Readonly<Record<number, string>>, value: number): string {
  return (names[value] ?? `unknown (${value})`).toLowerCase().replaceAll("_", " ");
}

/** What happened, in the daemon's words. */
export function describe({ severity, topic, text, details }: MatchEvent): Line {
  return { level: LEVELS[severity - 1] ?? "info", topic: TOPICS[topic - 1] ?? "match", text: [text, ...details].join("\n") };
}

/** What decides for an agent. */
export function steeringText(steering: Steering | undefined): string {
  const mode = steering?.mode;
  switch (mode?.case) {
    case "paused":
      return `paused by ${mode.value.by}`;
    case "pinned":
      return `${mode.value.order} for ${counted(mode.value.turnsLeft, "turn")}, by ${mode.value.by}`;
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
