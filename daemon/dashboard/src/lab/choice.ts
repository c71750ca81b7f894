/** What the view of the lab shows: one ladder, tune run or league, as in the address: `ladder:club`. */

/** The kinds, in the order of the list. */
export const KINDS = ["ladder", "tune", "league"] as const;
/** One of them. */
export type Kind = (typeof KINDS)[number];

/** A ladder, a tune run or a league by its name. */
export interface Choice {
  readonly kind: Kind;
  readonly name: string;
}

/** Reads a choice; undefined where the text is none. */
export function parseChoice(text: string): Choice | undefined {
  const at = text.indexOf(":");
  const kind = KINDS.find((known) => known === text.slice(0, Math.max(0, at)));
  const name = text.slice(at + 1);
  return kind === undefined || name === "" ? undefined : { kind, name };
}

/** The text of a choice. */
export function choiceText({ kind, name }: Choice): string {
  return `${kind}:${name}`;
}
