/** The team's board: entries, authors, and previous values. */
import { createMemo, createSignal, For, on, Show, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import type { Turn } from "../gen/phalanx/v1/team_pb";
import { counted } from "../match/names";
import { typedValue, valueLines, valueText } from "../match/values";
import { useCockpit } from "../state/cockpit";
import { followBoard, pollBoard } from "../state/follow-team";
import { attempt } from "../ui/notices";

/** Rows that are shown at most. */
const SHOWN = 500;

/** Keys with their values; a row opens history and editor. */
export function BoardView(props: { polled?: boolean }): JSX.Element {
  const cockpit = useCockpit();
  const { model, version } = props.polled === true ? pollBoard(cockpit.name) : followBoard();
  const [filter, setFilter] = createSignal("");
  const [open, setOpen] = createSignal("");
  const entries = createMemo(
    on([version, filter], () =>
      model
        .entries()
        .filter((entry) => entry.key.toLowerCase().includes(filter().toLowerCase()))
        .slice(0, SHOWN),
    ),
  );
  // Key rows by board key, so that a script's write does not reset what the user types.
  const byKey = createMemo(() => new Map(entries().map((entry) => [entry.key, entry])));
  const keys = createMemo(() => [...byKey().keys()]);
  return (
    <section class="card board" aria-labelledby="board">
      <h2 id="board">Board</h2>
      <div class="row">
        <label>
          Keys with <input type="search" value={filter()} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <span class="dim" data-board-count>
          {counted(entries().length, "entry", "entries")}
        </span>
      </div>
      <NewEntry />
      <div class="scroll">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Value</th>
              <th scope="col">Author</th>
              <th scope="col">Written in</th>
              <th scope="col">Expires in</th>
              <th scope="col">Claimed by</th>
            </tr>
          </thead>
          <tbody>
            <For each={keys()} fallback={<tr><td colSpan={6} class="dim">The board is empty.</td></tr>}>
              {(key) => (
                <Show when={byKey().get(key)}>
                  {(entry) => (
                <>
                  <tr data-key={entry().key}>
                    <th scope="row">
                      <button
                        type="button"
                        class="as-link mono"
                        aria-expanded={open() === entry().key}
                        onClick={() => setOpen(open() === entry().key ? "" : entry().key)}
                      >
                        {entry().key}
                      </button>
                    </th>
                    <td class="mono clip">{valueText(entry().value)}</td>
                    <td>{entry().author}</td>
                    <td>{turnText(entry().turn)}</td>
                    <td>{entry().turnsLeft === undefined ? "" : counted(Number(entry().turnsLeft), "turn")}</td>
                    <td>{entry().claimHolder}</td>
                  </tr>
                  <Show when={open() === entry().key}>
                    <tr>
                      <td colSpan={6}>
                        <Editor entry={entry()} before={model.history(entry().key)} />
                      </td>
                    </tr>
                  </Show>
                </>
                  )}
                </Show>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </section>
  );
}

function turnText(turn: Turn | undefined): string {
  return turn === undefined ? "" : `${turn.round}:${turn.step}`;
}

function resource(team: string, key: string): string {
  const coded = encodeURIComponent(key).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `teams/${team}/board/${coded}`;
}

function NewEntry(): JSX.Element {
  const cockpit = useCockpit();
  const [key, setKey] = createSignal("");
  const [value, setValue] = createSignal("");
  return (
    <details>
      <summary>Write a new entry</summary>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const name = resource(cockpit.place().team, key());
          void attempt(`${key()} is written`, () => cockpit.api.boards.setEntry({ name, value: typedValue(value()) }));
        }}
      >
        <label>
          Key <input class="mono" required value={key()} onInput={(event) => setKey(event.currentTarget.value)} />
        </label>
        <label>
          Value, as JSON or text{" "}
          <input class="mono" required value={value()} onInput={(event) => setValue(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={cockpit.role() < Role.OPERATOR}>
          Write
        </button>
      </form>
    </details>
  );
}

function Editor(props: { entry: BoardEntry; before: readonly BoardEntry[] }): JSX.Element {
  const cockpit = useCockpit();
  // A script's write does not overwrite what the user types.
  const [text, setText] = createSignal(valueLines(props.entry.value));
  const may = (): boolean => cockpit.role() >= Role.OPERATOR;
  const { boards } = cockpit.api;
  return (
    <div class="editor-row">
      <label>
        <span class="hidden-label">Value of {props.entry.key}</span>
        <textarea class="mono" rows={5} value={text()} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button
          type="button"
          class="main"
          disabled={!may()}
          onClick={() =>
            void attempt(`${props.entry.key} is written`, () =>
              boards.setEntry({ name: props.entry.name, value: typedValue(text()) }),
            )
          }
        >
          Write
        </button>
        <button
          type="button"
          disabled={!may()}
          onClick={() => void attempt(`${props.entry.key} is deleted`, () => boards.deleteEntry({ name: props.entry.name }))}
        >
          Delete
        </button>
      </div>
      <h3>Previous values since you opened this view</h3>
      <ol class="words" reversed>
        <For each={[...props.before].reverse()} fallback={<li class="dim">It did not change.</li>}>
          {(old) => (
            <li>
              <span class="dim">
                {old.turn === undefined ? "" : `${old.turn.round}:${old.turn.step}`} {old.author}
              </span>{" "}
              <span class="mono">{valueText(old.value)}</span>
            </li>
          )}
        </For>
      </ol>
    </div>
  );
}
