/** All contestants of a match, as far as teams and referee say: names, scores, and how they came about. */
import type { Arena, ArenaVerdict } from "../gen/phalanx/v1/arenas_pb";
import type { ScoreAt } from "./changes";
import { isAfter, type Moment } from "./history";

/** Moments of an arena that are kept. */
const KEEP = 4_000;

/** What a team's side of the match is known by. */
export interface Known {
  readonly name: string;
  /** Names of its agents. */
  readonly agents: readonly string[];
  readonly turns: readonly ScoreAt[];
  /** Turn and score of the running round, in the last answer about the team. */
  readonly looked: { readonly turn?: Moment | undefined; readonly score?: bigint | undefined } | undefined;
  readonly roundScores: readonly bigint[];
}

/** How far a team is. */
export interface Progress {
  readonly turn: Moment | undefined;
  /** Score of the running round; undefined: not known. */
  readonly score: number | undefined;
}

/** How far a team is: what its turns say arrives at once, and an answer about the team is up to a second old. */
export function progress({ turns, looked }: Pick<Known, "turns" | "looked">): Progress {
  const { turn, score } = looked ?? {};
  const last = turns.findLast((one) => one.score !== undefined);
  const later = turn !== undefined && last?.round === turn.round && isAfter(last, turn);
  return later ? { turn: last, score: last.score } : { turn, score: score === undefined ? undefined : Number(score) };
}

/** One contestant. */
export interface Entrant {
  readonly name: string;
  /** It is a team of this daemon. */
  readonly ours: boolean;
  readonly turns: readonly ScoreAt[];
  /** Score of the running round; undefined: not known. */
  readonly score: number | undefined;
  /** Scores of the rounds that are over. */
  readonly rounds: readonly number[];
}

/** How far the match is. */
export interface Clock {
  /** Steps of the running round in all; undefined: not known. */
  readonly steps: number | undefined;
  readonly step: number;
}

/** The scores that an arena reported, step by step. */
export class Verdicts {
  private readonly series = new Map<string, ScoreAt[]>();
  last: ArenaVerdict | undefined;

  take(verdict: ArenaVerdict): void {
    this.last = verdict;
    if (verdict.round === 0) return;
    const moment: Moment = { round: verdict.round - 1, step: verdict.step };
    for (const { team, rounds } of verdict.scores) {
      const score = rounds[verdict.round - 1];
      const turns = this.series.get(team) ?? [];
      this.series.set(team, turns);
      const before = turns.at(-1);
      const one = { ...moment, score: score === undefined ? undefined : Number(score) };
      if (before?.round === one.round && before.step === one.step) turns[turns.length - 1] = one;
      else turns.push(one);
      if (turns.length > KEEP) turns.shift();
    }
  }

  clear(): void {
    this.series.clear();
    this.last = undefined;
  }

  turnsOf(team: string): readonly ScoreAt[] {
    return this.series.get(team) ?? [];
  }
}

/** The teams of the daemon in their order, then the contestants that only the arena knows. */
export function entrants(known: readonly Known[], arena: Arena | undefined, verdicts: Verdicts): Entrant[] {
  const taken = new Set<string>();
  const teams = known.map((team): Entrant => {
    const side = scoredAs(team, arena, taken);
    if (side !== undefined) taken.add(side);
    const rounds = verdicts.last?.scores.find((score) => score.team === side)?.rounds ?? [];
    const refereed = side === undefined ? [] : verdicts.turnsOf(side);
    const refereeScore = side === undefined ? undefined : rounds.at(-1);
    return {
      name: team.name,
      ours: true,
      turns: joined(refereed, team.turns),
      score: progress(team).score ?? (refereeScore === undefined ? undefined : Number(refereeScore)),
      rounds: team.roundScores.map(Number),
    };
  });
  const others = (verdicts.last?.scores ?? []).filter(({ team }) => !taken.has(team)).map(({ team, rounds }): Entrant => {
    const all = rounds.map(Number);
    return { name: team, ours: false, turns: verdicts.turnsOf(team), score: all.at(-1), rounds: all.slice(0, -1) };
  });
  return [...teams, ...others];
}

/**
 * A team's own turns, which are exact but only the last ones that its daemon keeps, after what the
 * referee reported of the time before. A referee may report scores only at the end of a round.
 */
function joined(refereed: readonly ScoreAt[], own: readonly ScoreAt[]): readonly ScoreAt[] {
  const [first] = own;
  if (first === undefined || own.length === 1) return refereed;
  const before = refereed.filter((turn) => isAfter(first, turn));
  return before.length === 0 ? own : [...before, ...own];
}

/** The name under which the arena knows a team: by its accounts, else by its own name. */
export function sideOf(team: { name: string; agents: readonly string[] }, arena: Arena | undefined, taken: ReadonlySet<string> = new Set()): string | undefined {
  const free = (arena?.sides ?? []).filter((side) => !taken.has(side.team));
  const names = new Set(team.agents);
  const found = free.find(({ accounts, agents }) => [...accounts, ...agents].some((name) => names.has(name))) ?? free.find((side) => side.team === team.name);
  if (found !== undefined) return found.team;
  return arena?.verdict?.scores.find((score) => score.team === team.name && !taken.has(score.team))?.team;
}

/** The name under which the arena scores a team. A referee of one contestant may have a name of its own for it. */
function scoredAs(team: Known, arena: Arena | undefined, taken: ReadonlySet<string>): string | undefined {
  const side = sideOf(team, arena, taken);
  const scores = arena?.verdict?.scores ?? [];
  if (scores.some((score) => score.team === side)) return side;
  const only = scores.length === 1 ? scores[0]?.team : undefined;
  return only === undefined || taken.has(only) ? side : only;
}

/** The steps of the round, from the arena's verdict. */
export function clockOf(verdict: ArenaVerdict | undefined): Clock | undefined {
  return verdict === undefined ? undefined : { step: verdict.step, steps: verdict.steps === 0 ? undefined : verdict.steps };
}

/** The turn as a place in the match: `Step 27`, or `Round 2, step 27` after the first round, which has the number 0. */
export function stepText(turn: Moment | undefined): string {
  if (turn === undefined) return "Before the match";
  const step = turn.step.toLocaleString("en");
  return turn.round === 0 ? `Step ${step}` : `Round ${turn.round}, step ${step}`;
}
