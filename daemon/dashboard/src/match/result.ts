/** Who won a match that is over. */

/** A team's points at the end. */
export interface Finalist {
  readonly name: string;
  /** Score of the last round; undefined where the referee does not send it. */
  readonly score: bigint | undefined;
  /** Scores of the rounds that are over. */
  readonly roundScores: readonly bigint[];
}

/** The result in words. */
export interface MatchResult {
  readonly title: string;
  readonly scores: string;
}

/** The result, as far as the teams know it. */
export function resultOf(teams: readonly Finalist[]): MatchResult {
  const points = teams.map(pointsOf);
  const known = points.filter((one) => one !== undefined);
  const scores = known.length < teams.length ? "" : teams.map(({ name }, at) => `${name} ${points[at]?.toLocaleString("en") ?? ""}`).join(" : ");
  if (teams.length < 2 || scores === "") return { title: "The match is over", scores };
  const most = known.reduce((a, b) => (a > b ? a : b));
  const best = teams.filter((_, at) => points[at] === most);
  return { title: best.length === 1 ? `${best[0]?.name ?? ""} wins` : "Draw", scores };
}

/** The sum over all rounds. */
function pointsOf({ score, roundScores }: Finalist): bigint | undefined {
  return roundScores.length === 0 ? score : roundScores.reduce((sum, one) => sum + one, 0n);
}
