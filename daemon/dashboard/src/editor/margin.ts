/** Notes of the running match beside the lines of the editor: a mark in the margin, and words behind the line. */
import { RangeSet, StateEffect, StateField, type EditorState, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, WidgetType, type DecorationSet } from "@codemirror/view";

/** Words behind a line. */
export interface LineNote {
  /** From 1, in the text as it is in the editor. */
  readonly line: number;
  readonly failed: boolean;
  readonly fresh: boolean;
  /** The chosen agent is among them. */
  readonly chosen: boolean;
  /** How many agents. */
  readonly count: number;
  /** `agentA1 +2`. */
  readonly who: string;
  readonly text: string;
  /** `0:41`. */
  readonly turn: string;
  /** All of it, for the pointer. */
  readonly hint: string;
  /** Where a click goes; empty: the whole team. */
  readonly agent: string;
}

interface Shown {
  readonly words: DecorationSet;
  readonly marks: RangeSet<GutterMarker>;
}

/** Replaces all notes. */
export const setNotes = StateEffect.define<readonly LineNote[]>();

const EMPTY: Shown = { words: Decoration.none, marks: RangeSet.of<GutterMarker>([]) };

/** Shows notes; `pick` gets the agent whose note was clicked. */
export function margin(pick: (agent: string) => void): Extension {
  const field = StateField.define<Shown>({
    create: () => EMPTY,
    update(shown, transaction) {
      const fresh = transaction.effects.find((effect) => effect.is(setNotes));
      if (fresh !== undefined) return placed(transaction.state, fresh.value, pick);
      if (!transaction.docChanged) return shown;
      return { words: shown.words.map(transaction.changes), marks: shown.marks.map(transaction.changes) };
    },
    provide: (it) => EditorView.decorations.from(it, ({ words }) => words),
  });
  const column = gutter({
    class: "cm-notes",
    markers: (view) => view.state.field(field).marks,
    initialSpacer: () => new Mark(88, false, false, ""),
    domEventHandlers: {
      mousedown(view, block) {
        let agent: string | undefined;
        view.state.field(field).marks.between(block.from, block.from, (_from, _to, mark) => {
          if (mark instanceof Mark) agent = mark.agent;
        });
        if (agent === undefined) return false;
        pick(agent);
        return true;
      },
    },
  });
  return [field, column, LOOK];
}

function placed(state: EditorState, notes: readonly LineNote[], pick: (agent: string) => void): Shown {
  const words: Range<Decoration>[] = [];
  const marks = new Map<number, Range<GutterMarker>>();
  for (const note of notes) {
    if (note.line < 1 || note.line > state.doc.lines) continue;
    const { from, to } = state.doc.line(note.line);
    words.push(Decoration.widget({ widget: new Words(note, pick), side: note.failed ? 1 : 2 }).range(to));
    if (note.chosen) words.push(CHOSEN.range(from));
    // An error hides the count of decisions.
    if (note.failed || !marks.has(from)) marks.set(from, new Mark(note.count, note.failed, note.fresh, note.agent).range(from));
  }
  return { words: Decoration.set(words, true), marks: RangeSet.of([...marks.values()], true) };
}

const CHOSEN = Decoration.line({ class: "cm-chosen" });

class Words extends WidgetType {
  constructor(private readonly note: LineNote, private readonly pick: (agent: string) => void) {
    super();
  }

  override eq({ note }: Words): boolean {
    const mine = this.note;
    return note.who === mine.who && note.text === mine.text && note.turn === mine.turn && note.failed === mine.failed && note.fresh === mine.fresh && note.hint === mine.hint && note.agent === mine.agent;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { agent, failed, fresh, hint, text, turn, who } = this.note;
    const { ownerDocument } = view.dom;
    const box = ownerDocument.createElement("span");
    box.className = "cm-note";
    box.title = hint;
    box.dataset["agent"] = agent;
    if (failed) box.dataset["failed"] = "";
    if (fresh) box.dataset["fresh"] = "";
    for (const [name, words] of [["who", who], ["text", text], ["turn", turn]] as const) {
      const part = box.appendChild(ownerDocument.createElement("span"));
      part.className = `cm-note-${name}`;
      part.textContent = words;
    }
    box.addEventListener("mousedown", (event) => {
      // The cursor stays where it is.
      event.preventDefault();
      this.pick(agent);
    });
    return box;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

class Mark extends GutterMarker {
  constructor(readonly count: number, readonly failed: boolean, readonly fresh: boolean, readonly agent: string) {
    super();
  }

  override eq({ agent, count, failed, fresh }: Mark): boolean {
    return agent === this.agent && count === this.count && failed === this.failed && fresh === this.fresh;
  }

  override toDOM(view: EditorView): HTMLElement {
    const mark = view.dom.ownerDocument.createElement("span");
    mark.className = "cm-mark";
    mark.textContent = this.failed ? "!" : `${this.count}`;
    if (this.failed) mark.dataset["failed"] = "";
    if (this.fresh) mark.dataset["fresh"] = "";
    return mark;
  }
}

const LOOK = EditorView.theme({
  ".cm-notes .cm-gutterElement": { padding: "0 3px", textAlign: "right", cursor: "pointer" },
  ".cm-mark": { display: "inline-block", minWidth: "16px", padding: "0 4px", borderRadius: "8px", fontSize: "10.5px", lineHeight: "15px", textAlign: "center", color: "var(--dim)", border: "1px solid var(--rim)" },
  ".cm-mark[data-fresh]": { color: "var(--on-accent)", backgroundColor: "var(--accent)", borderColor: "var(--accent)" },
  ".cm-mark[data-failed]": { color: "var(--card)", backgroundColor: "var(--bad)", borderColor: "var(--bad)", fontWeight: "700" },
  ".cm-note": { display: "inline-flex", gap: "7px", alignItems: "baseline", marginLeft: "22px", padding: "0 7px", borderRadius: "5px", fontFamily: "system-ui, sans-serif", fontSize: "11.5px", lineHeight: "1.35", color: "var(--dim)", backgroundColor: "color-mix(in srgb, var(--ink) 7%, transparent)", cursor: "pointer", whiteSpace: "nowrap", verticalAlign: "baseline" },
  ".cm-note:hover .cm-note-text": { textDecoration: "underline" },
  ".cm-note[data-fresh]": { color: "var(--ink)" },
  ".cm-note[data-fresh] .cm-note-who": { color: "var(--accent)", fontWeight: "600" },
  ".cm-note[data-failed]": { color: "var(--bad)", backgroundColor: "var(--bad-back)" },
  ".cm-note[data-failed] .cm-note-who": { color: "var(--bad)", fontWeight: "600" },
  ".cm-note-text": { maxWidth: "46ch", overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-note-turn": { color: "var(--dim)", fontVariantNumeric: "tabular-nums" },
  ".cm-chosen": { backgroundColor: "color-mix(in srgb, var(--accent) 14%, transparent)", boxShadow: "inset 3px 0 var(--accent)" },
});
