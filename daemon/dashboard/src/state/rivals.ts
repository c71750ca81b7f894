/** The other teams of this daemon that play in the same match as the chosen one. */
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Team } from "../gen/phalanx/v1/team_pb";
import { follow } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { History } from "../match/history";
import { LONG_AGO, shortName, useCockpit } from "./cockpit";

/** Teams beyond this number are not followed. */
const RIVALS = 3;

export interface Rival {
  readonly name: string;
  readonly history: History;
}

/** Teams that play the same game at the same server. */
export function sameMatch(teams: readonly Team[], name: string): Team[] {
  const own = teams.find((team) => shortName(team.name) === name);
  return own === undefined ? [] : teams.filter((team) => team.game === own.game && team.server === own.server);
}

/** Follows the rivals' turns; `version` grows with them. */
export function followRivals(): { rivals: Accessor<readonly Rival[]>; version: Accessor<number> } {
  const cockpit = useCockpit();
  const [rivals, setRivals] = createSignal<readonly Rival[]>([]);
  const [version, setVersion] = createSignal(0);
  const bump = perFrame(() => setVersion((before) => before + 1));
  const names = createMemo(() =>
    sameMatch(cockpit.teams(), cockpit.name())
      .map((team) => shortName(team.name))
      .filter((name) => name !== cockpit.name())
      .slice(0, RIVALS)
      .join("\n"),
  );
  createEffect(
    on([names, cockpit.entered], ([some]) => {
      const found = some === "" ? [] : some.split("\n").map((name) => ({ name, history: new History() }));
      setRivals(found);
      for (const { name, history } of found) {
        const again = (): void => {
          history.clear();
          bump();
        };
        const stop = follow(
          {
            start: LONG_AGO,
            open: (cursor, signal, began) => cockpit.api.matches.watchMatch({ team: `teams/${name}`, cursor }, { signal, onHeader: began }),
            cursorOf: (item) => item.event?.cursor ?? "",
            take(item) {
              if (item.event !== undefined) history.apply(item.event);
              bump();
            },
            gap: again,
            state: () => undefined,
          },
          tab,
        );
        onCleanup(stop);
      }
    }),
  );
  return { rivals, version };
}
