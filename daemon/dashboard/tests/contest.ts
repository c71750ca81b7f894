/** A match of two teams in an arena, on canned answers. */
import { Arenas, ArenaState } from "../src/gen/phalanx/v1/arenas_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { SeatState, TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { WorldSide, WorldTone, Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { still } from "./worlds";
import type { Canned } from "./canned";

const SERVER = "127.0.0.1:12300";
const TURN = { round: 0, step: 3 };
/** A name that no person reads whole. */
export const LONG = "0b9cf3a1-1111-4222-8333-444455556666";

const cell = (x: number, y: number): object => ({ place: { case: "cell", value: { x, y } } });
const GROUND = [
  { value: 1, name: "free", tone: WorldTone.GROUND },
  { value: 2, name: "obstacle", tone: WorldTone.OBSTACLE },
];

/** A field of four by four cells; `wall` is the cell with an obstacle. */
function field(name: string, bodies: readonly object[], wall: number): object {
  const cells = Uint8Array.from({ length: 16 }, (_, at) => (at === wall ? 2 : 1));
  return { name, shape: { case: "grid", value: {} }, bodies, layers: [{ name: "ground", width: 4, height: 4, cells, legend: GROUND }] };
}

/** A body of the team that looks, or of the other one. */
function body(name: string, x: number, ours: boolean, more: object = {}): object {
  return { name, side: ours ? WorldSide.OURS : WorldSide.THEIRS, alive: true, place: cell(x, 0), ...(ours ? { agent: 0, role: "worker" } : {}), ...more };
}

const TABLES = [
  {
    title: "orders", columns: [{ name: "order" }, { name: "state" }, { name: "left", unit: "steps" }],
    rows: [
      { cells: ["first", "begun", "12"], tone: WorldTone.GOAL, agent: "a1" },
      { cells: ["second", "open", "140"], place: cell(2, 2), part: "map" },
      { cells: ["third", "late", ""] },
    ],
  },
];

/** Two teams in an arena of this daemon. */
export function match(): Canned {
  const team = (name: string, score: bigint): object => ({ name: `teams/${name}`, game: "assemble", server: SERVER, state: TeamState.PLAYING, turn: TURN, agentCount: 1, seatedCount: 1, generation: 1, score });
  const agent = (name: string, team: string): object => ({ name, resourceName: `teams/${team}/agents/${name}`, role: "worker", seatState: SeatState.SEATED, lastAction: "move(n)", reason: `${name} is on its way`, lastAsked: TURN });
  const turns = (scores: readonly bigint[]): object[] => scores.map((score, step) => ({ event: { cursor: `1.${step}`, turn: { round: 0, step }, kind: { case: "turnDone", value: { asked: 1, decided: 1, score } } } }));
  const verdict = (step: number, scores: readonly bigint[]): object => ({ round: 1, step, steps: 400, scores: scores.map((score, at) => ({ team: at === 0 ? "A" : "B", rounds: [score] })) });
  const world = (name: string, part: object, tables: readonly object[]): object => ({ world: { team: `teams/${name}`, game: "assemble", turn: TURN, tick: 4n, parts: [part], tables } });
  return still("assemble")
    .answer(Teams.method.listTeams, { teams: [team("A", 30n), team("B", 1200n)] })
    .answerTo(Teams.method.getTeam, "teams/A", { team: { ...team("A", 30n), agents: [agent("a1", "A")] } })
    .answerTo(Teams.method.getTeam, "teams/B", { team: { ...team("B", 1200n), agents: [agent("b1", "B"), agent("b2", "B")] } })
    .answerTo(Matches.method.watchMatch, "teams/A", ...turns([0n, 10n, 10n, 30n]))
    .answerTo(Matches.method.watchMatch, "teams/B", ...turns([0n, 0n, 600n, 1200n]))
    .answerTo(Worlds.method.watchWorld, "teams/A", world("A", field("map", [body("a1", 0, true, { job: "carries ore home", carrying: `ore ${LONG}`, health: 0.2 }), body("b1", 3, false)], 15), TABLES))
    .answerTo(Worlds.method.watchWorld, "teams/B", world("B", field("map", [body("b1", 2, true), body("a1", 0, false)], 14), []))
    .answer(Arenas.method.listArenas, { arenas: [{ name: "arenas/field", game: "assemble", address: SERVER, state: ArenaState.PLAYING, sides: [{ team: "A", accounts: ["a1"] }, { team: "B", accounts: ["b1", "b2"] }] }] })
    .answer(Arenas.method.watchArena, ...[0, 1, 2, 3].map((step) => ({ event: { cursor: `1.${step}`, kind: { case: "verdict" as const, value: verdict(step, [[0n, 0n], [10n, 0n], [10n, 600n], [30n, 1200n]][step] ?? []) } } })))
    .answer(Arenas.method.getArenaWorld, { etag: "1", world: { game: "assemble", turn: { round: 1, step: 3 }, parts: [field("map", [body("a1", 0, true), body("b1", 2, false)], 14)] } });
}
