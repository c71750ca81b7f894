/** What changed in a match, in plain words: scores, leads, and what the daemon reports. */
import { isAfter, type Entry, type Moment } from "./history";
import { figure } from "./names";
import type { Level } from "./words";

/** A team's score after a turn. */
export interface ScoreAt extends Moment {
  readonly score: number | undefined;
}

/** A team's scores, in order. */
export interface Scores {
  readonly name: string;
  readonly turns: readonly ScoreAt[];
}

/** One line of the list. */
export interface Change extends Moment {
  readonly text: string;
  /** The team that it is about; empty: all, or not known. */
  readonly team: string;
  readonly agent: string;
  readonly level: Level;
  readonly kind: "score" | "lead" | "event";
  /** How often it happened without something else in between. */
  readonly times: number;
}

/** A team scores in at most this share of its turns, or its single points are no news. */
const RARE = 0.25;

/** Points and leads of all teams in their order. */
export function scoreChanges(teams: readonly Scores[]): Change[] {
  const found = teams.flatMap(points);
  if (teams.length > 1) found.push(...leads(teams));
  return found.sort((a, b) => (isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 0));
}

/** Each step of a score that moves rarely; of one that moves all the time, the round numbers that it passes. */
function points({ name, turns }: Scores): Change[] {
  const steps = turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    if (before?.score === undefined || turn.score === undefined || before.round !== turn.round) return [];
    return turn.score === before.score ? [] : [{ turn, now: turn.score, by: turn.score - before.score }];
  });
  const one = ({ round, step }: Moment, text: string): Change => ({ round, step, text, team: name, agent: "", level: "info", kind: "score", times: 1 });
  if (steps.length <= Math.max(3, turns.length * RARE)) {
    return steps.map(({ turn, now, by }) => one(turn, by > 0 ? `scores ${figure(by)}, has ${figure(now)}` : `loses ${figure(-by)}, has ${figure(now)}`));
  }
  return steps.flatMap(({ turn, now, by }) => {
    const passed = Math.floor(now / milestone(now)) * milestone(now);
    return by > 0 && passed > 0 && now - by < passed ? [one(turn, `reaches ${figure(passed)}`)] : [];
  });
}

/** Distance between two numbers that are worth a line: 100 from 100 on, 1,000 from 1,000 on. */
function milestone(score: number): number {
  return 10 ** Math.max(1, Math.floor(Math.log10(Math.max(10, score))));
}

/** Where one team took the lead from another one. */
function leads(teams: readonly Scores[]): Change[] {
  const moments = new Map<string, { at: Moment; scores: Map<string, number> }>();
  for (const { name, turns } of teams) {
    for (const { round, step, score } of turns) {
      if (score === undefined) continue;
      const key = `${round}:${step}`;
      const known = moments.get(key) ?? { at: { round, step }, scores: new Map<string, number>() };
      moments.set(key, known);
      known.scores.set(name, score);
    }
  }
  const found: Change[] = [];
  let leader = "";
  let round = -1;
  for (const { at, scores } of [...moments.values()].sort((a, b) => (isAfter(a.at, b.at) ? 1 : -1))) {
    if (at.round !== round) [leader, round] = ["", at.round];
    if (scores.size < teams.length) continue;
    const [first, second] = [...scores].sort(([, a], [, b]) => b - a);
    if (first === undefined || first[1] === second?.[1]) continue;
    if (leader !== "" && leader !== first[0]) found.push({ ...at, text: "takes the lead", team: first[0], agent: "", level: "info", kind: "lead", times: 1 });
    leader = first[0];
  }
  return found;
}

/** Scores and events, the newest first; the same one after the other is one line. */
export function newestChanges(scores: readonly Change[], lines: readonly Entry[], team: string, most: number): Change[] {
  const events = lines.filter(isNews).map((line): Change => ({ round: line.round ?? 0, step: line.step ?? 0, text: plain(line), team, agent: line.agent, level: line.level, kind: "event", times: 1 }));
  // Events keep their order; scores are put between them by their turn.
  const all: Change[] = [];
  let at = 0;
  for (const event of events) {
    for (let next = scores[at]; next !== undefined && isAfter(event, next); next = scores[at]) {
      all.push(next);
      at += 1;
    }
    all.push(event);
  }
  all.push(...scores.slice(at));
  const found: Change[] = [];
  for (let index = all.length - 1; index >= 0; index -= 1) {
    const change = all[index];
    if (change === undefined) continue;
    const last = found.at(-1);
    const same = last?.text === change.text && last.team === change.team && (last.agent === change.agent || change.kind === "event");
    if (last !== undefined && same) found[found.length - 1] = { ...last, times: last.times + 1 };
    else if (found.length === most) break;
    else found.push(change);
  }
  return found;
}

/** Whether people who watch want to hear of it. A seat that was taken is what they expect. */
function isNews({ level, topic }: Entry): boolean {
  return level !== "debug" && topic !== "board" && (topic !== "seat" || level !== "info");
}

/** Without the marks that the daemon's log needs. Older recordings have the API's names of alerts. */
function plain(entry: Entry): string {
  const { topic } = entry;
  // What follows the first line is for those who look into it.
  const [text = ""] = entry.text.split("\n");
  if (topic === "script") return text.replace(/^(debug|info|warn|warning|error): /, "");
  return topic === "alert" ? text.replace(/^alert ([a-z]+)_([a-z]+)/, "alert $1 $2") : text;
}
