/** Reasons and errors by the line of the script that produced them. */
import { isAfter, isBad, type Entry, type Moment, type Part, type TurnRecord } from "../match/history";

/** How many turns back a line keeps its reasons and its errors. */
export const SPAN = { reasons: 20, errors: 200 } as const;

/** What one agent decided in one turn. */
export interface Voice {
  /** Empty: the whole team. */
  readonly agent: string;
  readonly turn: Moment;
  readonly action: string;
  /** The reason, or the error. */
  readonly text: string;
}

/** What a line produced last. */
export interface Note {
  readonly file: string;
  readonly line: number;
  /** The generation of the strategy to which the line belongs. */
  readonly generation: number;
  readonly failed: boolean;
  /** It is the newest decision of the agents in `voices`; otherwise the line was last used some turns ago. */
  fresh: boolean;
  voices: Voice[];
  /** How often the line produced something within the span. */
  times: number;
}

/** An agent's newest decision up to a turn. */
export interface Decision {
  readonly agent: string;
  readonly turn: Moment;
  readonly part: Part;
}

/** The newest decision of each agent up to the turn with this index, in the same round. */
export function decisionsAt(turns: readonly TurnRecord[], at: number): Decision[] {
  const found = new Map<string, Decision>();
  for (const turn of backwards(turns, at, SPAN.reasons)) {
    for (const [agent, part] of turn.parts) {
      if (!found.has(agent)) found.set(agent, { agent, turn: momentOf(turn), part });
    }
  }
  return [...found.values()];
}

/** All notes at the turn with this index; `lines` are the events, of which those about the whole team count. */
export function notesAt(turns: readonly TurnRecord[], lines: readonly Entry[], at: number): Note[] {
  const notes = new Map<string, Note>();
  const known = new Set<string>();
  let age = 0;
  for (const turn of backwards(turns, at, SPAN.errors)) {
    for (const [agent, part] of turn.parts) {
      const newest = !known.has(agent);
      known.add(agent);
      const { place, made } = part;
      const failed = isBad(part);
      if (!failed && age > SPAN.reasons) continue;
      const voice = voiceOf(agent, turn, part);
      if (place !== undefined) add(notes, { ...place, generation: turn.generation, failed }, voice, newest);
      // The reason is at its own line; this one did what the agent does.
      if (made !== undefined) add(notes, { ...made, generation: turn.generation, failed }, { ...voice, text: "" }, newest);
    }
    age += 1;
  }
  const now = turns[at];
  if (now !== undefined) teamErrors(notes, turns, lines, now);
  return [...notes.values()];
}

/** Errors of calls that belong to no agent, for example the team's plan: their place is part of the text. */
function teamErrors(notes: Map<string, Note>, turns: readonly TurnRecord[], lines: readonly Entry[], now: TurnRecord): void {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const entry = lines[at];
    if (entry?.agent !== "" || entry.topic !== "trouble" || entry.round === undefined || entry.step === undefined) continue;
    const turn = { round: entry.round, step: entry.step };
    if (isAfter(turn, now)) continue;
    if (turn.round !== now.round || now.step - turn.step > SPAN.errors) return;
    const place = placeIn(entry.text);
    if (place === undefined) continue;
    const generation = turns.findLast((known) => known.step === turn.step && known.round === turn.round)?.generation ?? now.generation;
    add(notes, { ...place, generation, failed: true }, { agent: "", turn, action: "", text: entry.text }, turn.step === now.step);
  }
}

/** The first `file.luau:12` in a text. */
export function placeIn(text: string): { file: string; line: number } | undefined {
  const found = /([\w\-/]+\.luau?):(\d+)/.exec(text);
  return found === null ? undefined : { file: found[1] ?? "", line: Number(found[2]) };
}

function add(notes: Map<string, Note>, where: Pick<Note, "file" | "line" | "generation" | "failed">, voice: Voice, newest: boolean): void {
  const key = `${where.generation} ${where.file}:${where.line} ${String(where.failed)}`;
  const note = notes.get(key);
  if (note === undefined) {
    notes.set(key, { ...where, fresh: newest, voices: [voice], times: 1 });
    return;
  }
  note.times += 1;
  if (newest && !note.fresh) {
    note.fresh = true;
    note.voices = [];
  }
  const [first] = note.voices;
  if (newest || (!note.fresh && first?.turn.step === voice.turn.step)) note.voices.push(voice);
}

function voiceOf(agent: string, turn: TurnRecord, { action, reason }: Part): Voice {
  return { agent, turn: momentOf(turn), action, text: reason };
}

function momentOf({ round, step }: TurnRecord): Moment {
  return { round, step };
}

/** The turns of one round, from the one with this index back. */
function* backwards(turns: readonly TurnRecord[], at: number, span: number): Generator<TurnRecord> {
  const round = turns[at]?.round;
  for (let index = at; index >= Math.max(0, at - span); index -= 1) {
    const turn = turns[index];
    if (turn?.round !== round || turn === undefined) return;
    yield turn;
  }
}
