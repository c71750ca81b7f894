/** Worlds that are always the same: for pictures that are compared, and for measuring. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { WorldSide, WorldTone, Worlds, WorldPartSchema, type WatchWorldResponseSchema } from "../src/gen/phalanx/v1/worlds_pb";
import { Canned } from "./canned";
import type { Game } from "./stage";

type Part = MessageInitShape<typeof WorldPartSchema>;
const { OURS, THEIRS, NOBODY } = WorldSide;

/** A unit on a cell. */
function body(name: string, side: WorldSide, x: number, y: number, more: object = {}): NonNullable<Part["bodies"]>[number] {
  const ours = side === OURS ? { agent: Number(/\d+$/.exec(name)?.[0] ?? 0), role: "worker" } : {};
  return { name, side, alive: true, place: { place: { case: "cell", value: { x, y } } }, ...ours, ...more };
}

/** The message of a later turn, with the same cells and other bodies. */
export function moved(parts: readonly Part[], tick: number, far: number): MessageInitShape<typeof WatchWorldResponseSchema> {
  const next = parts.map((part) => {
    const made = create(WorldPartSchema, part);
    for (const { place } of made.bodies) if (place?.place.case === "cell") place.place.value.x += far;
    made.layers = [];
    made.unchanged = ["ground", "spots"];
    return made;
  });
  return { world: { team: "teams/A", game: "assemble", turn: { round: 0, step: tick }, tick: BigInt(tick), parts: next } };
}

/** Cells of a layer, by a rule. */
function cells(width: number, height: number, rule: (x: number, y: number) => number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, at) => rule(at % width, Math.floor(at / width)));
}

const GROUND = [
  { value: 1, name: "free", glyph: ".", tone: WorldTone.GROUND },
  { value: 2, name: "obstacle", glyph: "#", tone: WorldTone.OBSTACLE },
  { value: 3, name: "goal", glyph: "g", tone: WorldTone.GOAL },
];

/** A square world of Agents Assemble; `size` is its width in cells. */
export function field(size: number, agents: number): Part {
  const ground = cells(size, size, (x, y) => ((x * 7 + y * 13) % 17 === 0 ? 2 : Math.abs(x - size / 2) + Math.abs(y - size / 2) < 3 ? 3 : x + y < size / 4 ? 0 : 1));
  const bodies = Array.from({ length: agents }, (_, at) =>
    body(`agent${at}`, at % 2 === 0 ? OURS : THEIRS, (at * 31) % size, (at * 17) % size, { carried: at % 5 === 0 ? [{ x: 1, y: 0, what: "b0" }] : [] }),
  );
  return {
    name: "map", shape: { case: "grid", value: { width: size, height: size } }, bodies,
    layers: [{ name: "ground", width: size, height: size, cells: ground, legend: GROUND }],
    spots: [{ place: { place: { case: "cell", value: { x: 4, y: size - 5 } } }, kind: "dispenser", label: "b0", tone: WorldTone.RESOURCE }],
  };
}

const PARTS: Readonly<Record<Game, Part>> = {
  assemble: field(24, 8),
  mars: {
    name: "map", shape: { case: "graph", value: {} },
    nodes: Array.from({ length: 12 }, (_, at) => ({ name: `v${at}`, value: at % 5, owner: at < 4 ? OURS : NOBODY, zone: at < 4 ? OURS : at > 9 ? THEIRS : NOBODY })),
    edges: Array.from({ length: 12 }, (_, at) => [{ a: at, b: (at + 1) % 12 }, { a: at, b: (at * 5 + 2) % 12 }]).flat(),
    bodies: [0, 3, 7].map((node, at) => ({ name: `agent${at}`, side: at === 2 ? THEIRS : OURS, alive: true, place: { place: { case: "node" as const, value: node } } })),
  },
  bomberland: {
    name: "map", shape: { case: "grid", value: { yUp: true } },
    layers: [
      { name: "things", width: 15, height: 15, cells: cells(15, 15, (x, y) => (x % 2 === 1 && y % 2 === 1 ? 2 : (x * 5 + y * 3) % 11 === 0 ? 3 : x === 7 && y === 6 ? 4 : 1)), legend: [
        { value: 1, name: "free", glyph: " ", tone: WorldTone.GROUND },
        { value: 2, name: "metal", glyph: "#", tone: WorldTone.OBSTACLE },
        { value: 3, name: "wood", glyph: "%", tone: WorldTone.OBSTACLE },
        { value: 4, name: "bomb", glyph: "o", tone: WorldTone.DANGER },
      ] },
      { name: "danger", width: 15, height: 15, cells: cells(15, 15, (x, y) => (x === 7 || y === 6 ? 255 - 16 * (Math.abs(x - 7) + Math.abs(y - 6)) : 0)), scale: { from: 63, to: 0, unit: "ticks until it burns", tone: WorldTone.DANGER } },
    ],
    bodies: [body("c1", OURS, 0, 0), body("e2", OURS, 4, 6), body("d1", THEIRS, 14, 14)],
  },
  asimulator: {
    name: "map", shape: { case: "grid", value: { yUp: true } },
    layers: [
      { name: "ground", width: 8, height: 8, cells: cells(8, 8, (x, y) => (x === 0 || y === 0 || x === 7 || y === 7 ? 2 : 1)), legend: GROUND },
      { name: "death", width: 8, height: 8, cells: cells(8, 8, (x, y) => (x > 4 && y > 4 ? 40 * (x + y - 9) : 1)), scale: { from: 0, to: 1, unit: "probability", tone: WorldTone.DANGER } },
    ],
    bodies: [body("A0", OURS, 2, 2)],
  },
  colosseum: {
    name: "map", shape: { case: "plane", value: { width: 50, height: 50 } },
    spots: [[10, 12], [30, 8], [25, 40]].map(([x = 0, y = 0], at) => ({ place: { place: { case: "point" as const, value: { x, y } } }, kind: "food", label: "", value: 30 * (at + 1), tone: WorldTone.RESOURCE })),
    bodies: [[20, 20], [40, 33]].map(([x = 0, y = 0], at) => ({ name: `p${at}`, side: at === 0 ? OURS : THEIRS, alive: true, place: { place: { case: "point" as const, value: { x, y } } } })),
  },
};

/** A daemon that shows a world of this game for ever. */
export function still(game: Game, ...parts: Part[]): Canned {
  const turn = { round: 0, step: 3 };
  const team = { name: "teams/A", game, state: TeamState.PLAYING, turn, agentCount: 1, generation: 1 };
  return new Canned()
    .answer(Access.method.getCaller, { who: "viewer", role: Role.VIEWER })
    .answer(Teams.method.listTeams, { teams: [team] })
    .answer(Teams.method.getTeam, { team })
    .answer(Matches.method.watchMatch)
    .answer(Worlds.method.watchWorld, { world: { team: "teams/A", game, turn, tick: 4n, parts: parts.length === 0 ? [PARTS[game]] : parts } });
}
