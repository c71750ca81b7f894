/** A team's streams, wired to what keeps them. */
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Api } from "../api/clients";
import { follow, type StreamState } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { BoardModel } from "../match/board";
import type { History } from "../match/history";

/** A cursor that is always expired: the daemon then names its oldest event. */
const LONG_AGO = "0000000000000000.0";

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

/** Follows the board of this team, whose name may change; an empty one: none. `access` changes where a refusal may be lifted. */
export function followBoard(api: Api, team: Accessor<string>, access: Accessor<unknown>): { model: BoardModel; version: Accessor<number> } {
  const model = new BoardModel();
  const [version, setVersion] = createSignal(0);
  const changed = perFrame(() => setVersion((before) => before + 1));
  createEffect(
    on([team, access], ([name]) => {
      if (name === "") return;
      const stop = follow(
        {
          start: "",
          open: (cursor, signal, began) => {
            if (cursor === "") model.begin();
            return api.boards.watchBoard({ team: `teams/${name}`, cursor }, { signal, onHeader: began });
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
