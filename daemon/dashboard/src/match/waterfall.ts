/** Script time of a turn, by agent. */
import type { TurnRecord } from "./history";
import { byNumber } from "./strip";

/** One agent's share of a turn, in milliseconds. */
export interface Bar {
  readonly agent: string;
  /** Total time of the agents before it. */
  readonly from: number;
  readonly spent: number;
  readonly outcome: string;
  readonly action: string;
}

/** The agents one after the other, as their scripts ran; what is left of the turn is the plan's. */
export function waterfall(turn: TurnRecord): { bars: Bar[]; rest: number; whole: number } {
  let from = 0;
  const bars: Bar[] = [];
  for (const [agent, part] of turn.parts) {
    const spent = part.spent ?? 0;
    bars.push({ agent, from, spent, outcome: part.outcome, action: part.action });
    from += spent;
  }
  const whole = Math.max(turn.spent ?? 0, from);
  return { bars, rest: whole - from, whole };
}

/** The turns that took longest, the worst first. */
export function outliers(turns: readonly TurnRecord[], most: number): TurnRecord[] {
  return turns
    .filter((turn) => turn.spent !== undefined)
    .sort((a, b) => (b.spent ?? 0) - (a.spent ?? 0))
    .slice(0, most);
}

/** The agents with the longest mean script time, the slowest first. */
export function slowest(turns: readonly TurnRecord[]): { agent: string; mean: number; longest: number }[] {
  const sums = new Map<string, { sum: number; count: number; longest: number }>();
  for (const turn of turns) {
    for (const [agent, part] of turn.parts) {
      if (part.spent === undefined) continue;
      const known = sums.get(agent) ?? { sum: 0, count: 0, longest: 0 };
      sums.set(agent, { sum: known.sum + part.spent, count: known.count + 1, longest: Math.max(known.longest, part.spent) });
    }
  }
  return [...sums]
    .map(([agent, { sum, count, longest }]) => ({ agent, mean: sum / count, longest }))
    .sort((a, b) => b.mean - a.mean || byNumber(a.agent, b.agent));
}
