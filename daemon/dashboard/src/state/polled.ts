/** An answer of the daemon that is asked for again and again, while its view is open. */
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import { faultOf, type Fault } from "../api/fault";
import { tab } from "../live/outside";
import { poll } from "../live/poll";

/** The newest answer, and why the last request failed. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly fault: Fault | undefined;
}

/** Asks every `ms` milliseconds, anew when `what` changes. An answer stays when the next request fails. */
export function createPolled<W, T>(ms: number, what: Accessor<W>, ask: (what: W, signal: AbortSignal) => Promise<T>): Accessor<Polled<T>> {
  const [state, setState] = createSignal<Polled<T>>({ value: undefined, fault: undefined });
  createEffect(
    on(what, (wanted) => {
      setState({ value: undefined, fault: undefined });
      const asking = poll(
        ms,
        async (signal) => {
          try {
            const value = await ask(wanted, signal);
            if (!signal.aborted) setState({ value, fault: undefined });
          } catch (error) {
            if (!signal.aborted) setState(({ value }) => ({ value, fault: faultOf(error) }));
          }
        },
        tab,
      );
      onCleanup(asking.stop);
    }),
  );
  return state;
}
