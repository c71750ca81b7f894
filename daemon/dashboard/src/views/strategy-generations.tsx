/** The generations that are kept: what differs, and the way back. */
import * as Dialog from "@kobalte/core/dialog";
import { createEffect, createSignal, For, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { changes, type Change } from "../editor/changes";
import { createCode } from "../editor/code";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Generation } from "../gen/phalanx/v1/strategies_pb";
import { useCockpit } from "../state/cockpit";
import { attempt, complain } from "../ui/notices";

/** Newest first. */
export function Generations(props: { team: string; now: number; changed: () => void }): JSX.Element {
  const cockpit = useCockpit();
  const { strategies } = cockpit.api;
  const [list, setList] = createSignal<readonly Generation[]>([]);
  const [compared, setCompared] = createSignal<{ title: string; changes: readonly Change[] }>();
  createEffect(
    on([() => props.team, () => props.now], ([parent]) => {
      strategies.listGenerations({ parent, pageSize: 100 }).then((answer) => setList(answer.generations), complain);
    }),
  );
  const compare = async (older: number): Promise<void> => {
    try {
      const [before, now] = await Promise.all(
        [older, props.now].map((number) => strategies.getGeneration({ name: `${props.team}/generations/${number}` })),
      );
      const found = changes(before?.generation?.files ?? [], now?.generation?.files ?? []);
      setCompared({ title: `From generation ${older} to ${props.now}`, changes: found });
    } catch (error) {
      complain(error);
    }
  };
  const back = (generation: number): void => {
    void attempt(`Generation ${generation} decides again`, () =>
      strategies.rollBackStrategy({ team: props.team, generation }),
    ).then(() => {
      props.changed();
      cockpit.refresh();
    });
  };
  return (
    <section class="card" aria-labelledby="generations">
      <h2 id="generations">Generations</h2>
      <ul class="plain">
        <For each={list()}>
          {(it) => (
            <li class="generation" data-active={it.active ? "" : undefined}>
              <span>
                <strong>{it.number}</strong> <span class="dim">{it.origin}</span>
                <Show when={it.takenBack !== ""}>
                  <span class="bad"> taken back: {it.takenBack}</span>
                </Show>
              </span>
              <Show when={it.number !== props.now} fallback={<span class="good">decides</span>}>
                <span class="row">
                  <button type="button" onClick={() => void compare(it.number)}>
                    Compare
                  </button>
                  <button type="button" disabled={cockpit.role() < Role.OPERATOR} onClick={() => { back(it.number); }}>
                    Roll back
                  </button>
                </span>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Dialog.Root open={compared() !== undefined} onOpenChange={(open) => { if (!open) setCompared(undefined); }}>
        <Dialog.Portal>
          <Dialog.Overlay class="veil" />
          <Dialog.Content class="dialog large">
            <Dialog.Title>{compared()?.title}</Dialog.Title>
            <Show when={compared()}>{(it) => <Differences changes={it().changes} />}</Show>
            <Dialog.CloseButton class="main" aria-label="Close">
              Close
            </Dialog.CloseButton>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </section>
  );
}

function Differences(props: { changes: readonly Change[] }): JSX.Element {
  return (
    <For each={props.changes} fallback={<p>Nothing differs.</p>}>
      {(change) => (
        <details open={props.changes.length <= 3}>
          <summary>
            <span class="mono">{change.path}</span> <span class="dim">{change.kind}</span>
          </summary>
          <Compared change={change} />
        </details>
      )}
    </For>
  );
}

function Compared(props: { change: Change }): JSX.Element {
  let box: HTMLDivElement | undefined;
  onMount(() => {
    if (box === undefined) return;
    const code = createCode(box, () => undefined, `What changed in ${props.change.path}`);
    code.compare(props.change.before, props.change.now);
    onCleanup(() => {
      code.destroy();
    });
  });
  return (
    <div
      class="code"
      ref={(it) => {
        box = it;
      }}
    />
  );
}
