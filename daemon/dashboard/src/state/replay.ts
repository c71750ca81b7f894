/** The teams of a recorded match as the match view shows them: what they believed, did and scored up to a turn. */
import { create } from "@bufbuild/protobuf";
import { createMemo, createSignal, type Accessor } from "solid-js";
import type { Recording } from "../gen/phalanx/v1/recordings_pb";
import { AgentSchema, SeatState, TeamSchema, type Team } from "../gen/phalanx/v1/team_pb";
import type { World } from "../gen/phalanx/v1/worlds_pb";
import type { StreamState } from "../live/follow";
import type { Moment, Part, TurnRecord } from "../match/history";
import { byNumber } from "../match/strip";
import { shortName } from "./cockpit";
import { loadFilm, type Loading } from "./films";
import type { Side } from "./sides";

/** Recordings of one match begin within this time, in seconds. */
const TOGETHER = 30;
const [still] = createSignal<StreamState>({ kind: "ended" });

/** A side with its recording. */
export interface RecordedSide extends Side {
  readonly loading: Loading;
}

/** The recordings of the rivals in the same match: other teams of the same game at the same server that began at the same time. */
export function rivalsOf(all: readonly Recording[], own: Recording | undefined): Recording[] {
  if (own === undefined) return [];
  const began = (it: Recording): number => Number(it.beginTime?.seconds ?? 0n);
  const close = (it: Recording): number => Math.abs(began(it) - began(own));
  const same = (it: Recording): boolean => ladderMatch(it.name) === ladderMatch(own.name);
  const found = all.filter((it) => same(it) && it.name !== own.name && it.team !== own.team && it.game === own.game && it.server === own.server && close(it) <= TOGETHER);
  // A team may have recordings of two attempts: the one that began nearest is of this match.
  const nearest = found.sort((a, b) => close(a) - close(b));
  return nearest.filter((it, at) => nearest.findIndex(({ team }) => team === it.team) === at);
}

/** One team of a recorded match, as it was in the turn that is shown. */
export function recordedSide(name: string, team: string, own: boolean, moment: Accessor<Moment | undefined>): RecordedSide {
  const loading = loadFilm(name);
  const { film, version } = loading;
  const world = createMemo((): World | undefined => {
    const at = moment();
    return (version(), at === undefined ? undefined : film.reel.worlds[film.worldAt(at)]);
  });
  const turn = createMemo((): TurnRecord | undefined => {
    const at = moment();
    return (version(), at === undefined ? undefined : film.history.turns[film.turnAt(at)]);
  });
  return {
    name: team,
    own,
    loading,
    history: film.history,
    version,
    team: createMemo(() => teamIn(team, turn(), world())),
    worlds: () => ({ reel: film.reel, count: version, state: still }),
    world,
  };
}

/** The team with its agents in one turn. */
function teamIn(name: string, turn: TurnRecord | undefined, world: World | undefined): Team | undefined {
  if (turn === undefined) return undefined;
  const roles = new Map((world?.parts ?? []).flatMap((part) => part.bodies).map((body) => [body.name, body.role]));
  const agents = [...turn.parts].sort(([a], [b]) => byNumber(a, b)).map(([agent, part]) => agentIn(agent, roles.get(agent) ?? "", part));
  const { round, step } = turn;
  return create(TeamSchema, { name: `teams/${name}`, turn: { round, step }, agents, ...(turn.score === undefined ? {} : { score: BigInt(turn.score) }) });
}

function agentIn(name: string, role: string, { action, outcome, reason }: Part): Team["agents"][number] {
  return create(AgentSchema, { name, role, seatState: SeatState.SEATED, lastAction: action === "" ? outcome : action, reason });
}

/** The team of a recording by its name, where the list of recordings is not known. */
export function teamOfName(name: string): string {
  const short = shortName(name);
  return short.slice(ladderMatch(short).length).split("-")[0] ?? name;
}

/** The match of a ladder that a recording is of, as its name begins: `club.match-7.`; empty: it is of none. */
export function ladderMatch(name: string): string {
  return /^.*\.match-\d+\./.exec(shortName(name))?.[0] ?? "";
}
