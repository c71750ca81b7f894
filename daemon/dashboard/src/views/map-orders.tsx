/** Orders from the map: "go there", turn by turn. */
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import { readWay, wayScript, type Way } from "../map/going";
import type { Point } from "../map/geometry";
import { useCockpit } from "../state/cockpit";
import { complain, notify } from "../ui/notices";

/** After this number of turns without an order the agent's script decides again: the page may be closed. */
const LEASE = 5;
/** Steps that may fail one after the other. */
const FAILS = 3;

const NO_WAY: Way = { kind: "none" };

/** An agent on its way. */
interface Errand {
  readonly target: string;
  /** Where that is on the map. */
  readonly at: Point;
  readonly part: string;
  fails: number;
  busy: boolean;
  /** A world came while it was busy. */
  again: boolean;
}

/** All agents that the user of this page sent somewhere. */
export interface Errands {
  /** Where they were sent, by agent. */
  readonly all: Accessor<ReadonlyMap<string, { readonly at: Point; readonly part: string }>>;
  send(agent: string, target: string, part: string, at: Point): Promise<void>;
  stop(agent: string): Promise<void>;
}

/** Keeps them going: with each new world, the next step of each. */
export function createErrands(version: Accessor<number>): Errands {
  const { api, name, refresh } = useCockpit();
  const [all, setAll] = createSignal<ReadonlyMap<string, Errand>>(new Map());
  const nameOf = (agent: string): string => `teams/${name()}/agents/${agent}`;
  const drop = (agent: string): void => {
    const rest = new Map(all());
    rest.delete(agent);
    setAll(rest);
  };
  const release = async (agent: string): Promise<void> => {
    drop(agent);
    await api.teams.releaseAgent({ name: nameOf(agent) });
    refresh();
  };
  const step = async (agent: string, errand: Errand): Promise<void> => {
    if (errand.busy) {
      errand.again = true;
      return;
    }
    Object.assign(errand, { busy: true, again: false });
    try {
      const { text, error } = await api.strategies.evalScript({ team: `teams/${name()}`, agent, code: wayScript(errand.target) });
      if (all().get(agent) !== errand) return;
      const way = error === "" ? readWay(text) : NO_WAY;
      if (way.kind === "none") {
        errand.fails += 1;
        if (errand.fails < FAILS) return;
        await release(agent);
        complain(new Error(error === "" ? `${agent} finds no way there` : error));
      } else if (way.kind === "there") {
        await release(agent);
        notify(`${agent} is there; its script decides again`);
      } else {
        await api.teams.sendOrder({ name: nameOf(agent), order: way.order });
        errand.fails = 0;
      }
    } catch (error) {
      // Somebody else took the agent, or the match is over.
      drop(agent);
      complain(error);
    } finally {
      errand.busy = false;
    }
    // It may have changed during the calls above.
    if (errand.again && all().get(agent) === errand) await step(agent, errand);
  };
  createEffect(on(version, () => { for (const [agent, errand] of all()) void step(agent, errand); }));
  onCleanup(() => {
    for (const agent of all().keys()) api.teams.releaseAgent({ name: nameOf(agent) }).catch(() => undefined);
  });
  return {
    all,
    async send(agent, target, part, at) {
      try {
        await api.teams.pilotAgent({ name: nameOf(agent), leaseTurns: LEASE });
      } catch (error) {
        complain(error);
        return;
      }
      const errand: Errand = { target, part, at, fails: 0, busy: false, again: false };
      setAll(new Map(all()).set(agent, errand));
      refresh();
      await step(agent, errand);
    },
    async stop(agent) {
      try {
        await release(agent);
      } catch (error) {
        complain(error);
      }
    },
  };
}
