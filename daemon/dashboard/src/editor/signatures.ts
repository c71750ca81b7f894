/** What scripts may call, read from the signatures that ship with the program. */

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
  const types = new Map<string, Name[]>();
  const globals = new Map<string, string>();
  let type = "";
  let doc: string[] = [];
  for (const line of definitions.split("\n")) {
    const comment = /^\s*---\s?(.*)$/.exec(line);
    if (comment !== null) {
      doc.push(comment[1] ?? "");
      continue;
    }
    const opened = /^(?:export )?type (\w+) = \{\s*$/.exec(line);
    const field = /^ {4}(\w+): (.*?),?\s*$/.exec(line);
    const declared = /^declare (\w+): (\w+)/.exec(line);
    const called = /^declare function (\w+)(.*)$/.exec(line);
    if (opened !== null) type = opened[1] ?? "";
    else if (line.startsWith("}")) type = "";
    else if (field !== null && type !== "") push(types, type, field[1], field[2], doc);
    else if (declared !== null) globals.set(declared[1] ?? "", declared[2] ?? "");
    else if (called !== null) push(types, "", called[1], called[2], doc);
    doc = [];
  }
  const names = new Map<string, readonly Name[]>();
  const plain = [...(types.get("") ?? [])];
  for (const [label, kind] of globals) {
    plain.push({ label, detail: kind, info: "" });
    const fields = types.get(kind);
    if (fields !== undefined) names.set(label, fields);
  }
  // Every script gets its agent under this name.
  const me = types.get("Me");
  if (me !== undefined) names.set("me", me);
  names.set("", plain);
  return names;
}

function push(types: Map<string, Name[]>, type: string, label: string | undefined, detail: string | undefined, doc: readonly string[]): void {
  if (label === undefined) return;
  const list = types.get(type) ?? [];
  list.push({ label, detail: detail ?? "", info: doc.join(" ") });
  types.set(type, list);
}
