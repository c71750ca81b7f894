/** What is wrong with a team right now, in words; nothing while all is well. */
import type { StreamState } from "../live/follow";
import type { Team } from "../gen/phalanx/v1/team_pb";
import { AlertKind, SeatState, TeamState } from "../gen/phalanx/v1/team_pb";
import { counts, type Entry, type Moment, type TurnRecord } from "./history";
import { momentText } from "./series";
import { word } from "./words";

/** One thing that is wrong. */
export interface Trouble {
  /** `late`, `fallback`, `script error`, `connection`, `seat`, `alert`. */
  readonly kind: string;
  readonly text: string;
  /** The agent that it is about; empty: the whole team. */
  readonly agent: string;
  /** When it happened last; undefined: it lasts. */
  readonly at: Moment | undefined;
}

/** Everything that is wrong: the connection, seats, alerts, then the answers and script errors of these turns. */
export function troublesOf(link: StreamState, team: Team | undefined, turns: readonly TurnRecord[], lines: readonly Entry[]): Trouble[] {
  return [...connection(link), ...seats(team), ...alerts(team), ...answers(turns), ...errors(turns, lines)];
}

function connection(link: StreamState): Trouble[] {
  const lasting = (text: string): Trouble[] => [{ kind: "connection", text, agent: "", at: undefined }];
  if (link.kind === "lost") return lasting(`Connection lost: ${link.text}. The page keeps trying.`);
  return link.kind === "refused" ? lasting(`The daemon refuses: ${link.fault.text}`) : [];
}

/** Agents without a connection, while the team plays. */
function seats(team: Team | undefined): Trouble[] {
  if (team?.state !== TeamState.PLAYING) return [];
  const away = team.agents.filter(({ seatState }) => seatState !== SeatState.SEATED && seatState !== SeatState.CLOSED);
  return away.map(({ name, seatState, seatReason }) => ({ kind: "seat", text: `is ${word(SeatState, seatState)}${seatReason === "" ? "" : `: ${seatReason}`}`, agent: name, at: undefined }));
}

function alerts(team: Team | undefined): Trouble[] {
  return (team?.alerts ?? []).map(({ kind, agent, text, since }) => ({ kind: "alert", text: `${word(AlertKind, kind)}: ${text}`, agent, at: since }));
}

/** The newest late answer and the newest fallback; the summary counts the others. */
function answers(turns: readonly TurnRecord[]): Trouble[] {
  const found: Trouble[] = [];
  for (const outcome of ["late", "fallback"] as const) {
    const turn = turns.findLast(({ parts }) => [...parts.values()].some((part) => part.outcome === outcome));
    const part = turn === undefined ? undefined : [...turn.parts].find(([, one]) => one.outcome === outcome);
    if (turn === undefined || part === undefined) continue;
    found.push({ kind: outcome, text: part[1].reason.replace(/^(late|defaulted): /, "") || (outcome === "late" ? "no answer in time" : "the harmless action was sent"), agent: part[0], at: turn });
  }
  return found;
}

/** The newest error of a script that concerns the whole team. */
function errors(turns: readonly TurnRecord[], lines: readonly Entry[]): Trouble[] {
  const turn = turns.findLast((known) => known.errors > 0);
  if (turn === undefined) return [];
  const line = lines.findLast(({ round, step, level, topic, text }) => round === turn.round && step === turn.step && (level === "error" || level === "warning") && (topic === "trouble" || topic === "script") && text.includes("error"));
  return [{ kind: "script error", text: line?.text.replace(/^script error /, "") ?? "a script failed", agent: line?.agent ?? "", at: turn }];
}

/** The answers of these turns in one sentence. */
export function punctualityText(turns: readonly TurnRecord[]): string {
  const found = counts(turns);
  const all = Object.values(found).reduce((sum, count) => sum + count, 0);
  if (all === 0) return "No answer yet";
  const errors = turns.reduce((sum, turn) => sum + turn.errors, 0);
  const parts = [
    ...(found.late > 0 ? [`${found.late} late`] : []),
    ...(found.fallback > 0 ? [`${found.fallback} fallback`] : []),
    ...(errors > 0 ? [`${errors} script ${errors === 1 ? "error" : "errors"}`] : []),
  ];
  const of = all === 1 ? "1 answer" : `${all.toLocaleString("en")} answers`;
  return parts.length === 0 ? `All ${of} of the last ${turns.length} turns were in time` : `${parts.join(", ")} among ${of} in the last ${turns.length} turns`;
}

/** When it happened, as text; empty: it lasts. */
export function sinceText({ kind, at }: Trouble): string {
  if (at === undefined) return "";
  return kind === "alert" ? `since ${momentText(at)}` : `in ${momentText(at)}`;
}
