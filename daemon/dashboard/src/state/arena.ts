/** The arena in which the chosen team plays, where this daemon hosts it. */
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Arena } from "../gen/phalanx/v1/arenas_pb";
import { follow } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { poll } from "../live/poll";
import { Verdicts } from "../match/contest";
import { useCockpit } from "./cockpit";

/** Interval between looks at the list of arenas, in milliseconds. */
const LOOK_EVERY = 5_000;

/** What the page knows of the arena. */
export interface HostedArena {
  /** Undefined: this daemon hosts none for this team. */
  readonly arena: Accessor<Arena | undefined>;
  readonly verdicts: Verdicts;
  /** Grows with the verdicts. */
  readonly version: Accessor<number>;
}

/** Follows the scores of the arena at the team's address. */
export function followArena(): HostedArena {
  const cockpit = useCockpit();
  const verdicts = new Verdicts();
  const [arenas, setArenas] = createSignal<readonly Arena[]>([]);
  const [version, setVersion] = createSignal(0);
  const bump = perFrame(() => setVersion((before) => before + 1));
  const look = async (signal: AbortSignal): Promise<void> => {
    try {
      setArenas((await cockpit.api.arenas.listArenas({ pageSize: 1_000 }, { signal })).arenas);
    } catch {
      // Many daemons host none, and the badge reports lost connections.
    }
  };
  const looking = poll(LOOK_EVERY, look, tab);
  onCleanup(looking.stop);
  const server = createMemo(() => cockpit.team()?.server ?? "");
  createEffect(on(server, (address) => { if (address !== "") looking.soon(); }));
  // Ended arenas may have had the same address: the last one is the newest.
  const arena = createMemo(() => arenas().filter(({ address }) => address !== "" && address === server()).sort((a, b) => began(a) - began(b)).at(-1));
  // The next match may be in an arena of the same name.
  const which = createMemo(() => (arena() === undefined ? "" : `${arena()?.name ?? ""} ${began(arena())}`));
  createEffect(
    on([which, cockpit.entered], ([known]) => {
      const [chosen = ""] = known.split(" ");
      verdicts.clear();
      bump();
      if (chosen === "") return;
      const stop = follow(
        {
          start: "",
          open: (cursor, signal, started) => cockpit.api.arenas.watchArena({ name: chosen, cursor }, { signal, onHeader: started }),
          cursorOf: (item) => item.event?.cursor ?? "",
          take({ event }) {
            if (event?.kind.case !== "verdict") return;
            verdicts.take(event.kind.value);
            bump();
          },
          gap() {
            verdicts.clear();
            bump();
          },
          state: () => undefined,
        },
        tab,
      );
      onCleanup(stop);
    }),
  );
  return { arena, verdicts, version };
}

function began(arena: Arena | undefined): number {
  return Number(arena?.startTime?.seconds ?? 0n) + (arena?.startTime?.nanos ?? 0) / 1e9;
}
