/** What is wrong with a team right now, in words; nothing while all is well. */
import type { StreamState } from "../live/follow";
import type { Agent, Team } from "../gen/phalanx/v1/team_pb";
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

/** Agents that are not at the referee while the team plays, or that failed to get there before. */
function absent(team: Team | undefined): readonly Agent[] {
  const playing = team?.state === TeamState.PLAYING;
  if (team === undefined || !(playing || team.state === TeamState.WAITING)) return [];
  const away = team.agents.filter(({ seatState }) => seatState !== SeatState.SEATED && seatState !== SeatState.CLOSED);
  return playing ? away : away.filter(({ seatReason }) => seatReason !== "");
}

/** Why agents are absent; what several have in common is one line. */
function seats(team: Team | undefined): Trouble[] {
  const causes = new Map<string, string[]>();
  for (const { name, seatState, seatReason } of absent(team)) {
    const cause = `${word(SeatState, seatState)}${seatReason === "" ? "" : `: ${seatReason}`}`;
    causes.set(cause, [...(causes.get(cause) ?? []), name]);
  }
  return [...causes].map(([cause, names]) => {
    const [agent] = names;
    const alone = names.length === 1 && agent !== undefined;
    const text = alone ? `is ${cause}` : `${names.length} of ${team?.agents.length ?? names.length} agents are ${cause}`;
    return { kind: "seat", text, agent: alone ? agent : "", at: undefined };
  });
}

/** Alerts; that an absent agent is silent says nothing new. */
function alerts(team: Team | undefined): Trouble[] {
  const away = new Set(absent(team).map(({ name }) => name));
  const news = (team?.alerts ?? []).filter(({ kind, agent }) => kind !== AlertKind.SILENT_AGENT || !away.has(agent));
  return news.map(({ kind, agent, text, since }) => ({ kind: "alert", text: `${word(AlertKind, kind)}: ${text}`, agent, at: since }));
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
  const last = turns.length === 1 ? "the last turn" : `the last ${turns.length} turns`;
  if (parts.length > 0) return `${parts.join(", ")} among ${of} in ${last}`;
  return all === 1 ? `The answer of ${last} was in time` : `All ${of} of ${last} were in time`;
}

/** The worst fact in a few words: agents that are absent, or how punctual these answers were. */
export function headline(team: Team | undefined, turns: readonly TurnRecord[]): string {
  const away = absent(team).length;
  if (away === 0) return punctualityText(turns);
  return `${away} of ${team?.agents.length ?? away} agents ${away === 1 ? "is" : "are"} not at the referee`;
}

/** When it happened, as text; empty: it lasts. */
export function sinceText({ kind, at }: Trouble): string {
  if (at === undefined) return "";
  return kind === "alert" ? `since ${momentText(at)}` : `in ${momentText(at)}`;
}
