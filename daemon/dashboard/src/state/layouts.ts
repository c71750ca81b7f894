/** The layouts of this browser: those that come with the page, changed or not, and the user's own ones. */
import { createSignal, type Accessor } from "solid-js";
import { checked, FIRST, layoutText, NARROW, readLayout, SHIPPED, type Layout } from "../layout/layouts";

/** Where the browser keeps them. */
const KEY = "phalanx.layouts";
/** Below this width, the first layout has fewer columns. */
const ROOMY = "(min-width: 1200px)";
const NONE: Layout = { tree: undefined, letters: 1, plots: {} };

/** All layouts, and the one that is shown. */
export interface Layouts {
  /** Those that come with the page first. */
  readonly names: Accessor<readonly string[]>;
  readonly chosen: Accessor<string>;
  readonly shown: Accessor<Layout>;
  /** It differs from the one that comes with the page. */
  readonly isChanged: Accessor<boolean>;
  readonly isShipped: Accessor<boolean>;
  choose(name: string): void;
  /** Changes the layout that is shown. */
  change(to: Partial<Layout>): void;
  /** Keeps it under another name and shows that one; the original is as it was before. */
  saveAs(name: string): void;
  /** Puts a layout of the page back; deletes one of the user's. */
  reset(): void;
  /** The layout that is shown as a file. */
  exported(): string;
  /** Adds a layout from a file, shows it, and returns its name; throws where the file is none. */
  take(text: string): string;
}

/** What the browser keeps. */
interface Kept {
  readonly chosen: string;
  readonly mine: Readonly<Record<string, Layout>>;
}

/** Reads what the browser keeps. */
export function createLayouts(): Layouts {
  const [kept, setKept] = createSignal(load());
  const roomy = matchMedia(ROOMY);
  const keep = (next: Kept): void => {
    setKept(next);
    localStorage.setItem(KEY, JSON.stringify(next));
  };
  const original = (name: string): Layout | undefined => {
    const shipped = Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined;
    return shipped !== undefined && name === FIRST && !roomy.matches ? { ...shipped, tree: NARROW } : shipped;
  };
  const mine = (name: string): Layout | undefined => (Object.hasOwn(kept().mine, name) ? kept().mine[name] : undefined);
  const chosen = (): string => kept().chosen;
  const shown = (): Layout => mine(chosen()) ?? original(chosen()) ?? NONE;
  const put = (name: string, layout: Layout): void => { keep({ chosen: name, mine: { ...kept().mine, [name]: layout } }); };
  const removed = (name: string): Kept["mine"] => Object.fromEntries(Object.entries(kept().mine).filter(([known]) => known !== name));
  return {
    names: () => [...Object.keys(SHIPPED), ...Object.keys(kept().mine).filter((name) => !Object.hasOwn(SHIPPED, name)).sort()],
    chosen,
    shown,
    isChanged: () => mine(chosen()) !== undefined,
    isShipped: () => original(chosen()) !== undefined,
    choose: (name) => { keep({ ...kept(), chosen: name }); },
    change: (to) => { put(chosen(), { ...shown(), ...to }); },
    saveAs(name) {
      const layout = shown();
      keep({ chosen: name, mine: { ...(original(chosen()) === undefined ? kept().mine : removed(chosen())), [name]: layout } });
    },
    reset: () => { keep({ chosen: original(chosen()) === undefined ? FIRST : chosen(), mine: removed(chosen()) }); },
    exported: () => layoutText(chosen(), shown()),
    take(text) {
      const { name, layout } = readLayout(text);
      // A file must not replace a layout that comes with the page.
      const own = Object.hasOwn(SHIPPED, name) ? `${name} (imported)` : name;
      put(own, layout);
      return own;
    },
  };
}

/** What the browser keeps, as far as it can be read. */
function load(): Kept {
  const first: Kept = { chosen: FIRST, mine: {} };
  try {
    const json = JSON.parse(localStorage.getItem(KEY) ?? "{}") as { chosen?: unknown; mine?: Record<string, unknown> };
    const mine: Record<string, Layout> = {};
    for (const [name, layout] of Object.entries(json.mine ?? {})) {
      try {
        mine[name] = checked(layout);
      } catch {
        // An older page wrote it: the others are still good.
      }
    }
    const known = typeof json.chosen === "string" && (Object.hasOwn(SHIPPED, json.chosen) || Object.hasOwn(mine, json.chosen));
    return { chosen: known ? (json.chosen as string) : FIRST, mine };
  } catch {
    return first;
  }
}
