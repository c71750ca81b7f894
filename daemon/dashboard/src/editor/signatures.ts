/** What scripts may call, for completion: the declaration of a game by the part before the dot. */
import { read } from "./reference";

/** One name that can be completed. */
export interface Name {
  readonly label: string;
  readonly detail: string;
  readonly info: string;
}

/** Names by the part before the dot; names without a dot have the empty key. */
export type Names = ReadonlyMap<string, readonly Name[]>;

/** Reads a file of type definitions. */
export function namesOf(definitions: string): Names {
  const { kinds, globals, functions } = read(definitions);
  const nameOf = ({ label, signature, doc }: (typeof functions)[number]): Name => ({ label, detail: signature, info: doc });
  const names = new Map<string, readonly Name[]>();
  for (const { label, kind, fields } of globals) {
    const all = [...(kinds.get(kind)?.fields ?? []), ...fields].map(nameOf);
    if (all.length > 0) names.set(label, all);
  }
  // Every script gets its agent under this name.
  const me = kinds.get("Me");
  if (me !== undefined) names.set("me", me.fields.map(nameOf));
  names.set("", [...functions.map(nameOf), ...globals.map(({ label, kind, doc }) => ({ label, detail: kind, info: doc }))]);
  return names;
}
