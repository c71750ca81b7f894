/** Numbers that scripts report with `metric(...)`. */
import type { Team } from "../gen/phalanx/v1/team_pb";
import type { Samples } from "../plots/samples";

const ABOUT = { unit: "", doc: "A number that the strategy reports with metric(name, value)." };

/** Keeps what a team reports in its last turn; `side` is the team's place among those of the match. */
export function takeMetrics(samples: Samples, side: number, team: Team | undefined): void {
  const { turn, metrics } = team ?? {};
  if (turn === undefined || metrics === undefined) return;
  for (const [name, value] of Object.entries(metrics)) samples.take(`${side}/metric/${name}`, ABOUT, { round: turn.round, step: turn.step, value });
}
