/** The best so far over the matches, as steps. */

/** A new best candidate. */
interface Step {
  readonly played: bigint;
  readonly lead: number;
  readonly error?: number | undefined;
}

/** The lines of the lead with its interval; each value stays until the next one. */
export function steps(all: readonly Step[], played: number): { xs: number[]; lead: number[]; low: (number | undefined)[]; high: (number | undefined)[] } {
  const [xs, lead, low, high]: [number[], number[], (number | undefined)[], (number | undefined)[]] = [[], [], [], []];
  const add = (x: number, step: Step): void => {
    if (xs.at(-1) === x) for (const line of [xs, lead, low, high]) line.pop();
    xs.push(x);
    lead.push(step.lead);
    low.push(step.error === undefined ? undefined : step.lead - step.error);
    high.push(step.error === undefined ? undefined : step.lead + step.error);
  };
  for (const [index, step] of all.entries()) {
    const before = all[index - 1];
    if (before !== undefined && Number(step.played) - 1 > (xs.at(-1) ?? 0)) add(Number(step.played) - 1, before);
    add(Number(step.played), step);
  }
  const last = all.at(-1);
  if (last !== undefined && played > Number(last.played)) add(played, last);
  return { xs, lead, low, high };
}
