/** Puts notes beside the lines of a file as it is in the editor. */
import { momentText } from "../match/series";
import { lineMap } from "./lines";
import type { LineNote } from "./margin";
import type { Note, Voice } from "./notes";

/** Voices in the words for the pointer. */
const HINT = 12;

/** The notes of one file; `original` is the file as a generation had it, undefined where that is not known. */
export function placedNotes(
  notes: readonly Note[],
  file: { readonly path: string; readonly text: string },
  original: (generation: number) => string | undefined,
  chosen: string,
): LineNote[] {
  const maps = new Map<number, (line: number) => number | undefined>();
  return notes.flatMap((note): LineNote[] => {
    if (note.file !== file.path) return [];
    const before = original(note.generation);
    if (before === undefined) return [];
    const map = maps.get(note.generation) ?? lineMap(before, file.text);
    maps.set(note.generation, map);
    const line = map(note.line);
    return line === undefined ? [] : [lineNote(note, line, chosen)];
  });
}

function lineNote({ failed, fresh, times, voices }: Note, line: number, chosen: string): LineNote {
  const mine = voices.find((voice) => voice.agent === chosen && chosen !== "");
  const first = mine ?? voices[0];
  const more = voices.length > 1 ? ` +${voices.length - 1}` : "";
  return {
    line, failed, fresh,
    chosen: mine !== undefined && fresh,
    count: voices.length,
    who: `${first?.agent === "" ? "team" : (first?.agent ?? "")}${more}`,
    text: first === undefined ? "" : wordsOf(first, failed, times),
    turn: momentText(first?.turn),
    hint: voices.slice(0, HINT).map(hintOf).join("\n") + (voices.length > HINT ? "\n…" : ""),
    agent: first?.agent ?? "",
  };
}

function wordsOf({ action, text }: Voice, failed: boolean, times: number): string {
  if (!failed) return text || action;
  const message = messageOf(text);
  return times > 1 ? `${message} ×${times}` : message;
}

/** The first line of an error, without its place, which is shown beside it. */
export function messageOf(error: string): string {
  return error.replace(/^.*?[\w\-/]+\.luau?:\d+:?\s*/, "").split("\n")[0] ?? "";
}

function hintOf({ action, agent, text, turn }: Voice): string {
  return [agent, momentText(turn), action, text].filter((part) => part !== "").join(" · ");
}
