/** A daemon with a ladder, a tune run and a league that other processes play. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Lab, LadderMatchSchema, LadderRowSchema, TuneRunSchema, TuneVerdict } from "../src/gen/phalanx/v1/lab_pb";
import { Leagues, LeagueState } from "../src/gen/phalanx/v1/league_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { Canned } from "./canned";

type Row = MessageInitShape<typeof LadderRowSchema>;
type Match = MessageInitShape<typeof LadderMatchSchema>;
type Run = MessageInitShape<typeof TuneRunSchema>;

/** The strategies of the ladder, the best first. */
export const STRATEGIES = ["rusher@4", "mine@7", "herd@2", "shipped@1", "scouts@3", "turtle@1", "mine@6", "lazy@2", "centre@1", "wall@5", "idle@1"];
/** Not the latest version of its name. */
const EARLIER = "mine@6";

function elo(at: number): number {
  return 260 - at * 48 - (at % 3) * 9;
}

function row(strategy: string, at: number): Row {
  const suspended = strategy === "wall@5";
  return {
    strategy,
    latest: strategy !== EARLIER,
    suspended,
    elo: elo(at),
    error: 31 + at * 4,
    wins: BigInt(60 - at * 5),
    draws: BigInt(at % 4),
    losses: BigInt(6 + at * 5),
    matches: BigInt(66 + (at % 4)),
    failed: suspended ? 8n : 0n,
    trouble: suspended ? "it used more than 512 MiB" : "",
    scoreMean: 41.3 - at * 3.1,
    since: at === 1 ? 300n : 0n,
  };
}

function pairs(): { row: number; against: number; wins: bigint; draws: bigint; losses: bigint }[] {
  const all = STRATEGIES.flatMap((_, row) => STRATEGIES.map((_, against) => ({ row, against })).filter(({ against }) => against > row));
  // Those that are far apart did not meet.
  return all.filter(({ row, against }) => against - row < 7).map(({ row, against }) => ({ row, against, wins: BigInt(4 + (against - row) * 2), draws: BigInt((row + against) % 3), losses: BigInt(Math.max(0, 5 - (against - row))) }));
}

function series(): { points: { played: bigint; elo: number; error: number }[] }[] {
  return STRATEGIES.map((_, at) => {
    const from = at === 1 ? 15 : 0;
    const points = Array.from({ length: 40 - from }, (_, index) => from + index + 1);
    return { points: points.map((part) => ({ played: BigInt(part * 20), elo: elo(at) * (1 - Math.exp(-part / 9)) + Math.sin(part * (at + 2)) * (60 / part), error: 200 / Math.sqrt(part) })) };
  });
}

/** A match with this number; those that a seven divides have recordings. */
export function match(number: number): Match {
  const players = number % 2 === 0 ? ["rusher@4", "mine@7"] : ["mine@7", "rusher@4"];
  const recordings = number % 7 === 0 ? ["A", "B"].map((team) => `recordings/club.match-${number}.${team}-assemble-20261122T013000Z`) : [];
  const failed = number % 11 === 0;
  return { number: BigInt(number), seed: BigInt(100 + Math.floor(number / 2)), players, scores: failed ? [] : [BigInt(12 + (number % 5)), 9n], trouble: failed ? "mine@7 used too much time" : "", bits: 0.04 + (number % 10) / 300, recordings };
}

/** Workers that play for a run. */
export const WORKERS = [
  { name: "lab1-4711", version: "0.9.0", matches: 812n },
  { name: "lab2-93", version: "0.9.0", matches: 500n },
];

/** A ladder on a server that is away. */
export const AWAY = {
  ladders: [{ name: "ladders/kv:club", game: "assemble", played: 800n }],
  server: { address: "nats://lab1:4222", trouble: "nats://lab1:4222: no nats-server answers" },
};

/** The tune run without its report. */
export const RUN: Run = { name: "tuneRuns/mine-win", runId: "9f02a1c377de4410", game: "bomberland", strategy: "mine", opponents: ["shipped × 1"], objective: "win", budget: 2_000n, played: 1_312n, candidates: 57n, playing: true, workers: WORKERS, summary: "the final test is not over (on 48 seeds 61.5 % against 52.1 % with the values at the start)" };

const REPORT = {
  unit: "per cent of the points",
  improvements: [
    { played: 140n, candidate: 3n, lead: 2.4, seeds: 4n, values: { bombs: "2", danger: "0.4", style: "wide" } },
    { played: 390n, candidate: 11n, lead: 4.1, error: 3.9, seeds: 16n, values: { bombs: "3", danger: "0.4", style: "wide" } },
    { played: 770n, candidate: 29n, lead: 8.8, error: 3.1, seeds: 24n, values: { bombs: "3", danger: "0.72", style: "tight" } },
  ],
  parameters: [
    { name: "bombs", start: "1", best: "3", range: "1 to 5 by 1", influence: 0.42, interval: { low: 0.17, high: 0.62 }, better: "higher", certain: true },
    { name: "danger", start: "0.5", best: "0.72", range: "0 to 1", influence: 0.71, interval: { low: 0.53, high: 0.82 }, better: "near 0.72", certain: true },
    { name: "style", start: "tight", best: "tight", range: "tight, wide", influence: 0.08, interval: { low: -0.19, high: 0.34 }, better: "tight", certain: false },
  ],
  test: { seeds: 48n, share: 0.594, error: 0.071, sprt: { llr: 1.62, lower: -2.94, upper: 2.94 }, tuned: "61.5 %", start: "52.1 %" },
  conditions: ["Game: bomberland", "Objective: win", "Seeds of the search: 1..24; random numbers of the search: 1", "Opponents, on both sides: shipped (weight 1)", "steps: 300"],
};

/** A league after some of its matches. */
export function league(played: number): { leagues: { name: string }[] } {
  const standing = {
    played: BigInt(played), total: 200n, sprt: { llr: 0.9, lower: -2.94, upper: 2.94 },
    rows: [
      { player: "mine", elo: 34, error: 22, wins: 61n, draws: 20n, losses: 39n, matches: 120n, scoreMean: 14.2, againstMean: 11.9 },
      { player: "shipped", elo: -34, error: 22, wins: 39n, draws: 20n, losses: 61n, matches: 120n, scoreMean: 11.9, againstMean: 14.2 },
    ],
  };
  const plan = { game: "assemble", players: [{ name: "mine", strategy: "" }, { name: "shipped", strategy: "" }] };
  return { leagues: [{ name: "leagues/night", state: LeagueState.PLAYING, folder: "/srv/contest/lab/night", plan, standing } as { name: string }] };
}

/** A daemon without teams. */
export function laboratory(): Canned {
  const ladder = { name: "ladders/club", game: "assemble", setup: { variant: "sim1", steps: "300" }, played: 800n, pending: 6n, player: "process 4711 on lab1" };
  const matches = Array.from({ length: 25 }, (_, index) => match(799 - index));
  return new Canned()
    .answer(Access.method.getCaller, { who: "viewer", role: Role.VIEWER })
    .answer(Teams.method.listTeams, { teams: [] })
    .answer(Lab.method.listLadders, { ladders: [ladder] })
    .answer(Lab.method.getLadder, { ladder: { ...ladder, rows: STRATEGIES.map(row) }, pairs: pairs(), series: series() })
    .answer(Lab.method.listLadderMatches, { matches, nextPageToken: "after/775" })
    .answer(Lab.method.listTuneRuns, { runs: [RUN] })
    .answer(Lab.method.getTuneRun, { run: RUN, report: REPORT })
    .answer(Leagues.method.listLeagues, league(120));
}

/** The same run with a proof. */
export const PROVED: Run = { ...RUN, playing: false, workers: [], verdict: TuneVerdict.BETTER, summary: "better, proved on fresh seeds" };
/** Its report. */
export const REPORTED = REPORT;
