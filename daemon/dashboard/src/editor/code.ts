/** The code editor. It lives in a shadow root: there its styles are sheets and no `<style>` elements, which the page's content policy refuses. */
import { autocompletion, closeBrackets, snippet, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers, type Tooltip } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { margin, setNotes, type LineNote } from "./margin";
import { signatureText, type Entry } from "./reference";
import type { Names } from "./signatures";

/** A mistake at a place of the file. */
export interface Mark {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** An editor on the page. */
export interface Code {
  /** Shows a file; what was typed before is handed out by `changed`. */
  open(text: string, editable: boolean): void;
  /** Whether the open file may be changed; the cursor stays. */
  permit(editable: boolean): void;
  /** Shows how a text came from an older one. */
  compare(before: string, now: string): void;
  mark(marks: readonly Mark[]): void;
  complete(names: Names): void;
  goTo(line: number): void;
  /** Shows what the match says of the lines. */
  notes(notes: readonly LineNote[]): void;
  /** Writes a template at the cursor, with its arguments selected. */
  insert(template: string): void;
  destroy(): void;
}

/** What an editor offers beside a running match. */
export interface Beside {
  /** A note was clicked. */
  readonly pick: (agent: string) => void;
  /** The user pressed the keys that save. */
  readonly save: () => void;
  /** What the reference says of a name. */
  readonly describe: (name: string) => Entry | undefined;
}

/** Puts an editor into this box. */
export function createCode(box: HTMLElement, changed: (text: string) => void, label: string, beside?: Beside): Code {
  const root = box.shadowRoot ?? box.attachShadow({ mode: "open" });
  let names: Names = new Map();
  let shown: readonly LineNote[] = [];
  const edit = new Compartment();
  const base: Extension = [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    search({ top: true }),
    lintGutter(),
    StreamLanguage.define(lua),
    syntaxHighlighting(COLOURS),
    autocompletion({ override: [(context) => completions(context, names)] }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    // Words behind a line come and go with each turn: with wrapped lines the text would jump.
    beside === undefined ? EditorView.lineWrapping : withMatch(beside),
    LOOK,
  ];
  const listen = EditorView.updateListener.of((update) => {
    if (update.docChanged) changed(update.state.doc.toString());
  });
  const may = (editable: boolean): Extension => [EditorState.readOnly.of(!editable), EditorView.editable.of(editable)];
  const view = new EditorView({ parent: root, root, state: EditorState.create({ extensions: [base, edit.of(may(false))] }) });
  const show = (doc: string, editable: boolean, more: Extension): void => {
    view.setState(EditorState.create({ doc, extensions: [base, edit.of(may(editable)), more] }));
  };
  return {
    open(text, editable) {
      show(text, editable, listen);
      // Who opens a file has set its notes already: a new text has none.
      view.dispatch({ effects: setNotes.of(shown) });
    },
    permit(editable) {
      view.dispatch({ effects: edit.reconfigure(may(editable)) });
    },
    compare: (before, now) => {
      show(now, false, unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }));
    },
    mark(marks) {
      view.dispatch(setDiagnostics(view.state, marks.map((mark) => diagnostic(view.state, mark))));
    },
    complete(fresh) {
      names = fresh;
    },
    goTo(line) {
      const found = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      const at = found.from + indentOf(found.text).length;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    notes(notes) {
      shown = notes;
      view.dispatch({ effects: setNotes.of(notes) });
    },
    insert(template) {
      const { from, to } = view.state.selection.main;
      const line = view.state.doc.lineAt(from);
      const indent = indentOf(line.text);
      // Before the first word of a line it gets a line of its own.
      const alone = from === to && from - line.from <= indent.length && indent.length < line.text.length;
      snippet(alone ? `${template}\n` : template)(view, null, alone ? line.from + indent.length : from, to < line.from + indent.length ? line.from + indent.length : to);
      view.focus();
    },
    destroy: () => { view.destroy(); },
  };
}

/** Notes, the keys that save, and the reference under the pointer. */
function withMatch({ describe, pick, save }: Beside): Extension {
  return [
    margin(pick),
    keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (save(), true) }]),
    hoverTooltip((view, at) => tooltip(view, at, describe)),
  ];
}

function tooltip(view: EditorView, at: number, describe: Beside["describe"]): Tooltip | null {
  const line = view.state.doc.lineAt(at);
  for (const { 0: name, index } of line.text.matchAll(/[A-Za-z_]\w*(\.\w+)*/g)) {
    const [from, to] = [line.from + index, line.from + index + name.length];
    const found = at < from || at > to ? undefined : describe(name);
    if (found !== undefined) return { pos: from, end: to, above: true, create: (owner) => ({ dom: described(owner, found) }) };
  }
  return null;
}

function described(view: EditorView, it: Entry): HTMLElement {
  const { ownerDocument } = view.dom;
  const box = ownerDocument.createElement("div");
  box.className = "cm-reference";
  box.appendChild(ownerDocument.createElement("code")).textContent = signatureText(it);
  box.appendChild(ownerDocument.createElement("p")).textContent = it.doc;
  return box;
}

function indentOf(text: string): string {
  return /^\s*/.exec(text)?.[0] ?? "";
}

function diagnostic(state: EditorState, mark: Mark): Diagnostic {
  const line = state.doc.line(Math.min(Math.max(1, mark.line), state.doc.lines));
  const from = Math.min(line.to, line.from + Math.max(0, mark.column - 1));
  return { from, to: line.to, severity: mark.severity, message: mark.message };
}

function completions(context: CompletionContext, names: Names): CompletionResult | null {
  const dotted = context.matchBefore(/\w+\.\w*/);
  if (dotted !== null) {
    const [owner = ""] = dotted.text.split(".");
    const fields = names.get(owner);
    if (fields === undefined) return null;
    const options = fields.map((name) => ({ ...name, type: name.detail.startsWith("(") ? "function" : "property" }));
    return { from: dotted.from + owner.length + 1, options, validFor: /^\w*$/ };
  }
  const word = context.matchBefore(/\w+/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const options = (names.get("") ?? []).map((name) => ({ ...name, type: "variable" }));
  return { from: word.from, options, validFor: /^\w*$/ };
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.standard(tags.variableName), tags.function(tags.variableName)], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { backgroundColor: "var(--code-back, var(--sunk))", color: "var(--ink)", fontSize: "12.5px", height: "100%", maxHeight: "var(--code-max, 62vh)", border: "1px solid var(--rim)", borderRadius: "5px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", overflow: "auto", minHeight: "var(--code-min, 240px)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--dim)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--accent) 30%, transparent) !important" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--rim)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-reference": { padding: "6px 9px", maxWidth: "60ch", fontSize: "12px" },
  ".cm-reference p": { margin: "4px 0 0", fontFamily: "system-ui, sans-serif", color: "var(--dim)" },
  // The library's own marks are pictures in addresses, which the page's content policy refuses.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)" },
  ".cm-lint-marker": { borderRadius: "50%", width: "9px", height: "9px", marginTop: "5px" },
  ".cm-lint-marker-error": { content: "normal", backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", backgroundColor: "var(--warn)" },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--good) 16%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--bad) 14%, transparent)" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--good) 30%, transparent) !important" },
});
