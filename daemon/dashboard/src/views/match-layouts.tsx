/** Choice of the layout, and the tools to arrange one. */
import { createSignal, For, Show, type JSX } from "solid-js";
import { freshId, KINDS, LETTERS, TITLES, type Kind } from "../layout/layouts";
import { added } from "../layout/tree";
import type { Layouts } from "../state/layouts";
import { complain, notify } from "../ui/notices";

/** Width of the area divided by its height, roughly: it decides how a new panel divides an old one. */
const RATIO = 1.7;

/** The choice of the layout, beside the strip. */
export function LayoutChoice(props: { layouts: Layouts; arranging: boolean; arrange: (on: boolean) => void }): JSX.Element {
  return (
    <div class="layout-choice">
      <select aria-label="Layout" value={props.layouts.chosen()} onChange={(event) => { props.layouts.choose(event.currentTarget.value); }}>
        <For each={props.layouts.names()}>
          {(name) => <option value={name} selected={name === props.layouts.chosen()}>{name}</option>}
        </For>
      </select>
      <button type="button" aria-pressed={props.arranging} title="Move, add and remove panels; save, export and import layouts" onClick={() => { props.arrange(!props.arranging); }}>
        Arrange
      </button>
    </div>
  );
}

/** What can be done with the layout while its panels are arranged. */
export function LayoutTools(props: { layouts: Layouts; done: () => void }): JSX.Element {
  const { layouts } = props;
  const [naming, setNaming] = createSignal(false);
  const addable = (): readonly Kind[] => KINDS.filter((kind) => freshId(layouts.shown(), kind) !== undefined);
  const add = (kind: Kind): void => {
    const id = freshId(layouts.shown(), kind);
    if (id !== undefined) layouts.change({ tree: added(layouts.shown().tree, id, RATIO) });
  };
  const letters = (by: number): void => {
    const next = Math.round((layouts.shown().letters + by) * 10) / 10;
    layouts.change({ letters: Math.min(LETTERS.most, Math.max(LETTERS.least, next)) });
  };
  const save = (event: SubmitEvent & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get("name");
    const name = typeof value === "string" ? value.trim() : "";
    if (name === "") return;
    layouts.saveAs(name);
    setNaming(false);
    notify(`The layout is saved as ${name}`);
  };
  const take = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    input.value = "";
    if (file === undefined) return;
    try {
      notify(`The layout ${layouts.take(await file.text())} is imported`);
    } catch (error) {
      complain(new Error(`${file.name} is not imported: ${error instanceof Error ? error.message : ""}`));
    }
  };
  return (
    <section class="card layout-tools" aria-label="Arrange the panels">
      <span class="dim">Drag a panel by its bar, or move it with the arrow keys. Drag the borders between panels.</span>
      <label>
        <span class="hidden-label">Add a panel</span>
        <select
          onChange={(event) => {
            const kind = KINDS.find((known) => known === event.currentTarget.value);
            event.currentTarget.value = "";
            if (kind !== undefined) add(kind);
          }}
        >
          <option value="">Add a panel…</option>
          <For each={addable()}>{(kind) => <option value={kind}>{TITLES[kind]}</option>}</For>
        </select>
      </label>
      <span class="switch" role="group" aria-label="Size of the text">
        <button type="button" aria-label="A−, smaller text" onClick={() => { letters(-LETTERS.step); }}>A−</button>
        <button type="button" aria-label="A+, larger text" onClick={() => { letters(LETTERS.step); }}>A+</button>
      </span>
      <Show when={naming()} fallback={<button type="button" onClick={() => setNaming(true)}>Save as…</button>}>
        <form class="row" onSubmit={save}>
          <label>
            Name <input name="name" required maxLength={60} size={14} autocomplete="off" ref={(it) => { queueMicrotask(() => { it.focus(); }); }} />
          </label>
          <button type="submit">Save</button>
        </form>
      </Show>
      <button type="button" onClick={() => { download(`${layouts.chosen()}.layout.json`, layouts.exported()); }}>Export</button>
      <label class="file-button">
        Import
        <input type="file" accept=".json,application/json" onChange={(event) => void take(event.currentTarget)} />
      </label>
      <button type="button" disabled={!layouts.isChanged()} onClick={() => { layouts.reset(); }}>
        {layouts.isShipped() ? "Put back" : "Delete"}
      </button>
      <button type="button" class="main" onClick={() => { props.done(); }}>Done</button>
    </section>
  );
}

/** Gives the text to the browser as a file. */
function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
