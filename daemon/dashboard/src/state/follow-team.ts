/** A team's streams, wired to what keeps them. */
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Api } from "../api/clients";
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import { follow, type StreamState } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { poll } from "../live/poll";
import { BoardModel } from "../match/board";
import type { History } from "../match/history";
import { useCockpit } from "./context";

/** A cursor that is always expired: the daemon then names its oldest event. */
const LONG_AGO = "0000000000000000.0";

/** Interval between looks at a board, in milliseconds, and pages of a thousand entries that are read. */
const [LOOK_EVERY, PAGES] = [1_500, 5];

/** A board, and a number that grows with it. */
export interface Board {
  readonly model: BoardModel;
  readonly version: Accessor<number>;
}

/** What is done with a history besides keeping it. */
interface Reader {
  /** Decisions with their reasons are wanted, too. */
  readonly decisions: boolean;
  /** Called after each change. */
  readonly changed: () => void;
  readonly state?: (state: StreamState) => void;
}

/** Fills a history with all events of a team that the daemon keeps, until the returned function is called. */
export function followHistory(api: Api, team: string, history: History, { decisions, changed, state }: Reader): () => void {
  return follow(
    {
      start: LONG_AGO,
      open: (cursor, signal, began) => api.matches.watchMatch({ team: `teams/${team}`, cursor, decisions }, { signal, onHeader: began }),
      cursorOf: (item) => item.event?.cursor ?? "",
      take(item) {
        if (item.event !== undefined) history.apply(item.event);
        changed();
      },
      gap() {
        history.clear();
        changed();
      },
      state: state ?? (() => undefined),
    },
    tab,
  );
}

/** Follows the board of the chosen team: every write of it. */
export function followBoard(): Board {
  const { api, entered, name } = useCockpit();
  const { model, version, changed } = createBoard();
  createEffect(
    on([name, entered], ([team]) => {
      const stop = follow(
        {
          start: "",
          open: (cursor, signal, began) => {
            if (cursor === "") model.begin();
            return api.boards.watchBoard({ team: `teams/${team}`, cursor }, { signal, onHeader: began });
          },
          cursorOf: (item) => item.cursor,
          take(item) {
            model.take(item);
            changed();
          },
          gap: () => {
            model.begin();
          },
          state: () => undefined,
        },
        tab,
      );
      onCleanup(stop);
    }),
  );
  return { model, version };
}

/** Looks at the board of this team again and again; an empty name: at none. A browser has few connections, and this takes none for long. */
export function pollBoard(team: Accessor<string>): Board {
  const { api, entered } = useCockpit();
  const { model, version, changed } = createBoard();
  createEffect(
    on([team, entered], ([name]) => {
      if (name === "") return;
      const look = async (signal: AbortSignal): Promise<void> => {
        try {
          const entries = await entriesOf(api, name, signal);
          model.begin();
          for (const value of entries) model.take({ $typeName: "phalanx.v1.WatchBoardResponse", cursor: "", news: { case: "entry", value } });
          model.take({ $typeName: "phalanx.v1.WatchBoardResponse", cursor: "", news: { case: "synced", value: { $typeName: "phalanx.v1.BoardSynced", entries: entries.length } } });
          changed();
        } catch {
          // The badge reports lost connections; what is known stays.
        }
      };
      onCleanup(poll(LOOK_EVERY, look, tab).stop);
    }),
  );
  return { model, version };
}

async function entriesOf(api: Api, team: string, signal: AbortSignal): Promise<BoardEntry[]> {
  const found: BoardEntry[] = [];
  let pageToken = "";
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await api.boards.listEntries({ parent: `teams/${team}`, pageSize: 1_000, pageToken }, { signal });
    found.push(...answer.entries);
    pageToken = answer.nextPageToken;
    if (pageToken === "") break;
  }
  return found;
}

function createBoard(): Board & { changed: () => void } {
  const [version, setVersion] = createSignal(0);
  return { model: new BoardModel(), version, changed: perFrame(() => setVersion((before) => before + 1)) };
}
