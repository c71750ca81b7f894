/** The calls of the control API, over grpc-web to where the page came from. */
import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Access } from "../gen/phalanx/v1/access_pb";
import { Arenas } from "../gen/phalanx/v1/arenas_pb";
import { Boards } from "../gen/phalanx/v1/boards_pb";
import { Lab } from "../gen/phalanx/v1/lab_pb";
import { Leagues } from "../gen/phalanx/v1/league_pb";
import { Matches } from "../gen/phalanx/v1/matches_pb";
import { Recordings } from "../gen/phalanx/v1/recordings_pb";
import { Strategies } from "../gen/phalanx/v1/strategies_pb";
import { Teams } from "../gen/phalanx/v1/teams_pb";
import { Worlds } from "../gen/phalanx/v1/worlds_pb";

/** What the daemon can be asked. */
export interface Api {
  readonly access: Client<typeof Access>;
  readonly arenas: Client<typeof Arenas>;
  readonly boards: Client<typeof Boards>;
  readonly lab: Client<typeof Lab>;
  readonly leagues: Client<typeof Leagues>;
  readonly matches: Client<typeof Matches>;
  readonly recordings: Client<typeof Recordings>;
  readonly strategies: Client<typeof Strategies>;
  readonly teams: Client<typeof Teams>;
  readonly worlds: Client<typeof Worlds>;
  /** The figures for Prometheus as text; empty where they may not be read. */
  metrics(signal: AbortSignal): Promise<string>;
}

/** Calls the daemon at this address with the token that `token` gives at the time; none where it is empty. */
export function connect(base: string, token: () => string): Api {
  const bearer: Interceptor = (next) => (request) => {
    const text = token();
    if (text !== "") request.header.set("authorization", `Bearer ${text}`);
    return next(request);
  };
  const transport = createGrpcWebTransport({ baseUrl: base, interceptors: [bearer] });
  return {
    access: createClient(Access, transport),
    arenas: createClient(Arenas, transport),
    boards: createClient(Boards, transport),
    lab: createClient(Lab, transport),
    leagues: createClient(Leagues, transport),
    matches: createClient(Matches, transport),
    recordings: createClient(Recordings, transport),
    strategies: createClient(Strategies, transport),
    teams: createClient(Teams, transport),
    worlds: createClient(Worlds, transport),
    async metrics(signal) {
      const text = token();
      const headers: Record<string, string> = text === "" ? {} : { authorization: `Bearer ${text}` };
      const answer = await fetch(`${base}/metrics`, { headers, signal });
      return answer.ok ? answer.text() : "";
    },
  };
}
