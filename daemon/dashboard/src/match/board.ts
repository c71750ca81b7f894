/** A board, built from its stream. */
import type { BoardEntry, WatchBoardResponse } from "../gen/phalanx/v1/boards_pb";

/** Old values that are kept of each key. */
export const HISTORY = 30;
/** Keys that are gone whose old values are kept. */
export const GONE = 200;

/** The entries with how they were before. */
export class BoardModel {
  private readonly now = new Map<string, BoardEntry>();
  /** Keys by the names of their entries. */
  private readonly names = new Map<string, string>();
  /** Keys that were dropped, the first first. */
  private readonly gone = new Set<string>();
  private readonly before = new Map<string, BoardEntry[]>();
  /** Keys that arrived since the stream began to send the whole board. */
  private repeated: Set<string> | undefined = new Set();

  /** The stream sends all entries again; those that do not arrive before `synced` are gone. */
  begin(): void {
    this.repeated = new Set();
  }

  /** Takes a piece of news. */
  take({ news }: WatchBoardResponse): void {
    switch (news.case) {
      case "entry":
        this.put(news.value);
        break;
      case "deleted": {
        const gone = this.now.get(this.names.get(news.value) ?? "");
        if (gone !== undefined) this.drop(gone);
        break;
      }
      case "synced":
        if (this.repeated !== undefined) {
          for (const entry of [...this.now.values()]) if (!this.repeated.has(entry.key)) this.drop(entry);
        }
        this.repeated = undefined;
        break;
      case undefined:
        break;
    }
  }

  /** The entries in the order of their keys. */
  entries(): BoardEntry[] {
    return [...this.now.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** What stood under a key before, the oldest first. */
  history(key: string): readonly BoardEntry[] {
    return this.before.get(key) ?? [];
  }

  private put(entry: BoardEntry): void {
    this.repeated?.add(entry.key);
    const old = this.now.get(entry.key);
    if (old !== undefined && old.etag !== entry.etag) this.keep(old);
    this.now.set(entry.key, entry);
    this.names.set(entry.name, entry.key);
    this.gone.delete(entry.key);
  }

  private drop(entry: BoardEntry): void {
    this.keep(entry);
    this.now.delete(entry.key);
    this.names.delete(entry.name);
    this.gone.add(entry.key);
    const [oldest] = this.gone;
    if (this.gone.size <= GONE || oldest === undefined) return;
    this.gone.delete(oldest);
    this.before.delete(oldest);
  }

  private keep(entry: BoardEntry): void {
    const list = this.before.get(entry.key) ?? [];
    list.push(entry);
    if (list.length > HISTORY) list.shift();
    this.before.set(entry.key, list);
  }
}
