/** Everything that scripts may use, to search and to write into the open file. */
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { isType, searched, separator, type Entry, type Group } from "../editor/reference";

/** Most entries that a search shows. */
const MOST = 60;

/** A field for the query, then the groups, or what was found. */
export function Reference(props: { groups: readonly Group[]; insert: ((template: string) => void) | undefined }): JSX.Element {
  const [query, setQuery] = createSignal("");
  const found = createMemo(() => searched(props.groups, query()));
  const types = createMemo(() => new Set(props.groups.filter(isType).map(({ name }) => name)));
  const open = (it: Entry): JSX.Element => <Item entry={it} types={types()} look={setQuery} insert={props.insert} />;
  return (
    <div class="reference">
      <label class="reference-query">
        <span class="hidden-label">Search the reference</span>
        <input type="search" placeholder="Search names and descriptions" value={query()} onInput={(event) => setQuery(event.currentTarget.value)} />
      </label>
      <Show
        when={query().trim() !== ""}
        fallback={
          <For each={props.groups} fallback={<p class="empty">The reference appears when the team's game is known.</p>}>
            {(group) => (
              <details open={!isType(group) && group.name !== "specs"} data-group={group.name}>
                <summary>
                  <strong class="mono">{group.name}</strong> <span class="dim">{group.doc}</span>
                </summary>
                <ul class="plain">
                  <For each={group.entries}>{open}</For>
                </ul>
              </details>
            )}
          </For>
        }
      >
        <p class="dim" role="status">
          {found().length === 0 ? "Nothing has these words in its name or description." : `${found().length} found`}
        </p>
        <ul class="plain">
          <For each={found().slice(0, MOST)}>{open}</For>
        </ul>
      </Show>
    </div>
  );
}

function Item(props: { entry: Entry; types: ReadonlySet<string>; look: (query: string) => void; insert: ((template: string) => void) | undefined }): JSX.Element {
  const pieces = createMemo(() => props.entry.signature.split(/(\w+)/));
  return (
    <li class="reference-entry" data-entry={props.entry.name}>
      <div>
        <code>
          <strong>{props.entry.name}</strong>
          {separator(props.entry)}
          <For each={pieces()}>
            {(piece) => (
              <Show when={props.types.has(piece)} fallback={piece}>
                <button type="button" class="as-link mono" title={`Show ${piece}`} onClick={() => { props.look(`${piece}.`); }}>
                  {piece}
                </button>
              </Show>
            )}
          </For>
        </code>
        <p>{props.entry.doc}</p>
      </div>
      <button
        type="button"
        disabled={props.insert === undefined}
        aria-label={`Insert ${props.entry.name}`}
        onClick={() => props.insert?.(props.entry.template)}
      >
        Insert
      </button>
    </li>
  );
}
