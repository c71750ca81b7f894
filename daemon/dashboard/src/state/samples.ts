/** Reads the numbers of plots while they are wanted: metrics, boards, and what the daemon counts. */
import { createEffect, createMemo, createSignal, mapArray, on, onCleanup, type Accessor } from "solid-js";
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import { tab } from "../live/outside";
import { poll } from "../live/poll";
import type { LineSpec, SourceName } from "../layout/layouts";
import { readings, readMetrics, type Metrics } from "../plots/daemon";
import type { About, Sample } from "../plots/samples";
import { TURN_FIGURES, turnSeries } from "../plots/turns";
import { numbersOf, type BoardNumber } from "../plots/values";
import { useCockpit } from "./cockpit";
import { pollBoard } from "./follow-team";
import { takeMetrics } from "./metrics";
import type { Side } from "./sides";

/** Interval between readings of the daemon's metrics, in milliseconds. */
const READ_EVERY = 2_000;
const ON_BOARD: About = { unit: "", doc: "A value on the team's board." };

/** The numbers of all plots. */
export interface Numbers {
  /** Grows with them. */
  readonly version: Accessor<number>;
  /** Numbers of a line, in order. */
  readonly of: (line: LineSpec) => readonly Sample[];
  readonly about: (line: LineSpec) => About;
  /** Names that a source has for a team. */
  readonly names: (from: SourceName, side: number) => readonly string[];
}

/** Follows what is wanted, as `SIDE/SOURCE`: `1/board`. */
export function followNumbers(sides: Accessor<readonly Side[]>, wanted: Accessor<ReadonlySet<string>>): Numbers {
  const cockpit = useCockpit();
  const { samples } = cockpit;
  const [version, setVersion] = createSignal(0);
  const changed = (): void => void setVersion((before) => before + 1);
  const started = mapArray(sides, (side, at) => {
    followMetrics(side, at, () => wanted().has(`${at()}/metric`), changed);
    followNumbersOfBoard(side, at, () => wanted().has(`${at()}/board`), changed);
  });
  createEffect(started);
  followDaemon(sides, wanted, changed);
  return {
    version,
    of: ({ from, name, side }) => {
      version();
      const team = sides()[side];
      if (from !== "turn") return cockpit.version(), samples.of(`${side}/${from}/${name}`);
      return team === undefined ? [] : (team.version(), turnSeries(team.history.turns, name));
    },
    about: ({ from, name, side }) => {
      const figure = from === "turn" ? TURN_FIGURES.find((known) => known.name === name) : (version(), samples.about(`${side}/${from}/${name}`));
      return { unit: figure?.unit ?? "", doc: figure?.doc ?? "" };
    },
    names: (from, side) => (from === "turn" ? TURN_FIGURES.map(({ name }) => name) : (version(), cockpit.version(), samples.names(`${side}/${from}/`))),
  };
}

/** The metrics of a rival; those of the chosen team are always kept. */
function followMetrics(side: Side, at: Accessor<number>, wanted: Accessor<boolean>, changed: () => void): void {
  const { samples } = useCockpit();
  createEffect(() => {
    if (side.own || !wanted()) return;
    takeMetrics(samples, at(), side.team());
    changed();
  });
}

function followNumbersOfBoard(side: Side, at: Accessor<number>, wanted: Accessor<boolean>, changed: () => void): void {
  const { samples } = useCockpit();
  const watched = createMemo(wanted);
  const known = new WeakMap<BoardEntry, readonly BoardNumber[]>();
  const numbers = (entry: BoardEntry): readonly BoardNumber[] => {
    const before = known.get(entry) ?? numbersOf(entry);
    known.set(entry, before);
    return before;
  };
  const { model, version } = pollBoard(() => (watched() ? side.name : ""));
  // Once for each turn, and again when the board has been read: the last number of a turn counts.
  const moment = createMemo(() => {
    const turn = (side.version(), side.history.turns.at(-1));
    return turn === undefined || !watched() || version() === 0 ? "" : `${turn.round}:${turn.step} ${version()}`;
  });
  createEffect(
    on(moment, (text) => {
      const turn = side.history.turns.at(-1);
      if (text === "" || turn === undefined) return;
      for (const { name, value } of model.entries().flatMap(numbers)) samples.take(`${at()}/board/${name}`, ON_BOARD, { round: turn.round, step: turn.step, value });
      changed();
    }),
  );
}

function followDaemon(sides: Accessor<readonly Side[]>, wanted: Accessor<ReadonlySet<string>>, changed: () => void): void {
  const { api, samples } = useCockpit();
  const reading = createMemo(() => [...wanted()].some((name) => name.endsWith("/daemon")));
  createEffect(
    on(reading, (now) => {
      if (!now) return;
      let before: { metrics: Metrics; at: number } | undefined;
      const read = async (signal: AbortSignal): Promise<void> => {
        try {
          const metrics = readMetrics(await api.metrics(signal));
          const at = performance.now();
          for (const [index, side] of sides().entries()) {
            const turn = side.history.turns.at(-1);
            if (turn === undefined || !wanted().has(`${index}/daemon`)) continue;
            for (const { name, value, unit, doc } of readings(before?.metrics ?? new Map(), metrics, (at - (before?.at ?? at)) / 1_000, side.name)) {
              samples.take(`${index}/daemon/${name}`, { unit, doc }, { round: turn.round, step: turn.step, value });
            }
          }
          before = { metrics, at };
          changed();
        } catch {
          // The badge reports lost connections; what was read stays.
        }
      };
      onCleanup(poll(READ_EVERY, read, tab).stop);
    }),
  );
}
