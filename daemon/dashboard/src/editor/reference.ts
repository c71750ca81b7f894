/** The reference of everything that scripts may use, read from the declaration of a game. */

/** One thing that a script can call or read. */
export interface Entry {
  /** `world.path`, `metric`, or the field of a type. */
  readonly name: string;
  readonly group: string;
  readonly signature: string;
  readonly doc: string;
  /** What to write into a script: a template with its arguments as fields. */
  readonly template: string;
}

/** Entries under one heading. */
export interface Group {
  readonly name: string;
  readonly doc: string;
  readonly entries: readonly Entry[];
}

interface Field {
  readonly label: string;
  readonly signature: string;
  readonly doc: string;
}

interface Kind {
  readonly doc: string;
  readonly fields: Field[];
}

/** What the declaration says, line by line. */
interface Declared {
  readonly kinds: Map<string, Kind>;
  /** Names of globals and of the types that they have. */
  readonly globals: { label: string; kind: string; fields: Field[]; doc: string }[];
  readonly functions: Field[];
}

/** Heading of functions that belong to no table, and of what only specs can use. */
const [LOOSE, SPECS, TYPES] = ["functions", "specs", "types"] as const;
/** Every script gets its agent under this name, and what it sees under the other one. */
const HANDED: readonly (readonly [string, string])[] = [["me", "Me"], ["me.percept", "Percept"]];

/** Reads a file of type definitions: globals first, types last. */
export function referenceOf(definitions: string): Group[] {
  const { kinds, globals, functions } = read(definitions);
  const used = new Set<string>();
  const groups: Group[] = [];
  const put = (name: string, doc: string, entries: readonly Entry[]): void => {
    if (entries.length > 0) groups.push({ name, doc, entries });
  };
  for (const [name, kind] of HANDED) {
    used.add(kind);
    put(name, kinds.get(kind)?.doc ?? "", (kinds.get(kind)?.fields ?? []).map((field) => entry(name, field)));
  }
  for (const { label, kind, fields } of globals) {
    const own = kinds.get(kind);
    used.add(kind);
    put(label, own?.doc ?? "", [...(own?.fields ?? []), ...fields].map((field) => entry(label, field)));
  }
  put(LOOSE, "They belong to no table.", functions.map((field) => entry("", field, LOOSE)));
  const loose = globals.filter(({ kind }) => kind === "any");
  put(SPECS, "In spec files.", loose.map(({ label, doc }) => ({ name: label, group: SPECS, signature: "", doc, template: label })));
  for (const [kind, { doc, fields }] of kinds) {
    if (used.has(kind)) continue;
    put(kind, doc, fields.map((field) => ({ ...entry("", field, kind), name: `${kind}.${field.label}`, template: field.label })));
  }
  return groups;
}

/** `: ` before the type of what cannot be called. */
export function separator({ signature }: Entry): string {
  return signature === "" || argumentList(signature) !== undefined ? "" : ": ";
}

/** The name with its signature. */
export function signatureText(it: Entry): string {
  return `${it.name}${separator(it)}${it.signature}`;
}

/** Whether a group describes a type, and nothing that a script can call by its name. */
export function isType({ name }: Group): boolean {
  return /^[A-Z]/.test(name) || name === TYPES;
}

/** The entries that contain all words of the query, the best first: names before signatures before docs. */
export function searched(groups: readonly Group[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = groups.flatMap((group) => group.entries.map((it) => ({ it, rank: Math.max(...words.map((word) => rankOf(it, word))) + (isType(group) ? 0.5 : 0) })));
  return found.filter(({ rank }) => rank < MISSED).sort((a, b) => a.rank - b.rank).map(({ it }) => it);
}

const MISSED = 5;

function rankOf({ name, signature, doc }: Entry, word: string): number {
  const low = name.toLowerCase();
  const last = low.slice(low.lastIndexOf(".") + 1);
  if (low === word || last === word) return 0;
  if (last.startsWith(word)) return 1;
  if (low.includes(word)) return 2;
  if (doc.toLowerCase().includes(word)) return 3;
  return signature.toLowerCase().includes(word) ? 4 : MISSED;
}

function entry(owner: string, { label, signature, doc }: Field, group = owner): Entry {
  const name = owner === "" ? label : `${owner}.${label}`;
  return { name, group, signature, doc, template: `${name}${argumentsOf(signature)}` };
}

/** `(${to})` of `(to: string, options: Options?) -> Path?`: without what may be left out. */
function argumentsOf(signature: string): string {
  const inside = argumentList(signature);
  if (inside === undefined) return "";
  const names = parts(inside)
    .filter((part) => !part.endsWith("?") && !part.startsWith("..."))
    .map((part) => part.split(":")[0]?.trim() ?? "");
  return `(${names.map((name) => `\${${name}}`).join(", ")})`;
}

/** The text between the first parenthesis and its end; undefined where nothing can be called. */
function argumentList(signature: string): string | undefined {
  if (!signature.startsWith("(")) return undefined;
  let depth = 0;
  for (let at = 0; at < signature.length; at += 1) {
    if (signature[at] === "(") depth += 1;
    if (signature[at] === ")") depth -= 1;
    if (depth === 0) return /^\s*(->|:|$)/.test(signature.slice(at + 1)) ? signature.slice(1, at) : undefined;
  }
  return undefined;
}

/** Splits at the commas that are inside no brackets. */
function parts(text: string): string[] {
  const found: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at] ?? ",";
    if ("({[".includes(sign)) depth += 1;
    else if (")}]".includes(sign)) depth -= 1;
    else if (sign === "," && (depth === 0 || at === text.length)) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return found.filter((part) => part !== "");
}

/** Reads a declaration line by line. */
export function read(definitions: string): Declared {
  const declared: Declared = { kinds: new Map(), globals: [], functions: [] };
  let fields: Field[] | undefined;
  let doc: string[] = [];
  for (const line of definitions.split("\n")) {
    const comment = /^\s*---\s?(.*)$/.exec(line);
    if (comment !== null) {
      doc.push(comment[1] ?? "");
      continue;
    }
    const opened = /^(?:export )?type (\w+) = \{\s*$/.exec(line);
    const field = /^ {4}(\w+): (.*?),?\s*$/.exec(line);
    const global = /^declare (\w+): (\w+)(.*)$/.exec(line);
    const called = /^declare function (\w+)(.*)$/.exec(line);
    const text = doc.join(" ");
    if (opened !== null) {
      fields = [];
      declared.kinds.set(opened[1] ?? "", { doc: text, fields });
    } else if (line.startsWith("}")) fields = undefined;
    else if (field !== null) fields?.push({ label: field[1] ?? "", signature: field[2] ?? "", doc: text });
    else if (global !== null) {
      const more: Field[] = [];
      declared.globals.push({ label: global[1] ?? "", kind: global[2] ?? "", fields: more, doc: text });
      fields = global[3]?.endsWith("{") === true ? more : undefined;
    } else if (called !== null) declared.functions.push({ label: called[1] ?? "", signature: called[2] ?? "", doc: text });
    doc = [];
  }
  return declared;
}
