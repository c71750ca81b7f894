/** The files of a team's strategy while they are edited: what decides, what was changed, and how the trial went. */
import { ConnectError } from "@connectrpc/connect";
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import { FaultSeverity, TrialReportSchema, type Fault, type Strategy, type StrategyFile, type TrialReport } from "../gen/phalanx/v1/strategies_pb";
import { useCockpit } from "../state/cockpit";
import { attempt, complain, notify } from "../ui/notices";
import { rebase, sourceOf } from "./changes";
import type { Code, Mark } from "./code";
import { byConcern, faultText, firstFile, inOrder } from "./faults";

/** What the view needs of it. */
export interface Workspace {
  readonly team: string;
  readonly strategy: Accessor<Strategy | undefined>;
  /** In the order in which they are shown, with the changes. */
  readonly files: Accessor<readonly StrategyFile[]>;
  readonly edited: Accessor<ReadonlyMap<string, string>>;
  /** The open file, and its text as it is being written. */
  readonly path: Accessor<string>;
  readonly text: Accessor<string>;
  readonly report: Accessor<TrialReport | undefined>;
  /** The findings of the report, what concerns the user first. */
  readonly faults: Accessor<readonly Fault[]>;
  /** What is under way; empty: nothing. */
  readonly busy: Accessor<string>;
  readonly may: Accessor<boolean>;
  /** A file as the generation that decides has it. */
  original(path: string): string | undefined;
  /** Opens a file, at a line if one is given. */
  readonly open: (path: string, line?: number) => void;
  readonly changed: (text: string) => void;
  check(): Promise<void>;
  activate(): Promise<void>;
  /** What the keys for saving do: activate what was changed, or check. */
  readonly save: () => void;
  discard(): void;
  readonly add: (path: string) => void;
  readonly pin: () => void;
  /** Closes the report. */
  readonly forget: () => void;
  load(keep: boolean): Promise<void>;
  /** The editor is there. */
  attach(code: Code): void;
}

/** What was written and does not play yet, by team: it outlives the view. */
interface Draft {
  readonly loaded: readonly StrategyFile[];
  readonly edited: ReadonlyMap<string, string>;
  readonly path: string;
}
const drafts = new Map<string, Draft>();

/** The workspace of the chosen team; the view is made anew for each team. */
export function createWorkspace(): Workspace {
  const cockpit = useCockpit();
  const team = `teams/${cockpit.name()}`;
  const { strategies } = cockpit.api;
  const draft = drafts.get(team);
  const [strategy, setStrategy] = createSignal<Strategy>();
  const [loaded, setLoaded] = createSignal<readonly StrategyFile[]>(draft?.loaded ?? []);
  const [edited, setEdited] = createSignal<ReadonlyMap<string, string>>(draft?.edited ?? new Map());
  const [path, setPath] = createSignal("");
  const [report, setReport] = createSignal<TrialReport>();
  const [busy, setBusy] = createSignal("");
  const may = (): boolean => cockpit.role() >= Role.OPERATOR;
  let code: Code | undefined;
  onCleanup(() => drafts.set(team, { loaded: loaded(), edited: edited(), path: path() }));

  const files = createMemo((): StrategyFile[] => withEdits(loaded(), edited()));
  const text = (): string => sourceOf(files(), path()) ?? "";
  const faults = createMemo(() => byConcern(report()?.faults ?? [], new Set(edited().keys()), path()));

  const open = (name: string, line?: number): void => {
    if (line === undefined || name !== path()) {
      setPath(name);
      code?.open(text(), may());
      code?.mark(marksOf(faults(), name));
    }
    if (line !== undefined) code?.goTo(line);
  };
  const take = async (fresh: readonly StrategyFile[], edits: ReadonlyMap<string, string>): Promise<void> => {
    const laid = rebase(loaded(), fresh, edits);
    const [before, shown] = [loaded(), sourceOf(files(), path())];
    setLoaded(fresh);
    setEdited(laid.edited);
    const both = laid.both.filter((name) => sourceOf(before, name) !== edits.get(name));
    if (both.length > 0) notify(`Also changed in the generation that decides now: ${both.join(", ")}`);
    const now = files().find((file) => file.path === path());
    if (now === undefined) open(draft !== undefined && sourceOf(files(), draft.path) !== undefined ? draft.path : await first());
    // Keep the user's cursor if the text did not change.
    else if (now.source !== shown) open(now.path);
  };
  const first = async (): Promise<string> => {
    const paths = files().map((file) => file.path);
    if (paths.includes("team.luau")) return "team.luau";
    const agents = cockpit.team()?.agents ?? (await cockpit.api.teams.getTeam({ name: team })).team?.agents ?? [];
    return firstFile(paths, agents.map(({ role }) => role));
  };
  let loads = 0;
  const load = async (keep: boolean): Promise<void> => {
    loads += 1;
    const mine = loads;
    try {
      const found = await strategies.getStrategy({ name: `${team}/strategy` });
      const number = found.strategy?.generation?.number ?? 0;
      const { generation } = await strategies.getGeneration({ name: `${team}/generations/${number}` });
      const failed = keep && generation !== undefined ? await takenBack(number) : "";
      if (mine !== loads) return;
      setStrategy(found.strategy);
      const edits = keep ? new Map([...(failed === "" ? [] : pairsOf(loaded())), ...edited()]) : new Map<string, string>();
      if (found.strategy?.lastTrial !== undefined && report() === undefined) setReport(found.strategy.lastTrial);
      await take(generation?.files ?? [], edits);
      // What was taken back is still what its author works on.
      if (failed !== "") notify(`Taken back, and still in the editor: ${failed}`);
    } catch (error) {
      complain(error);
    }
  };
  /** Why the generation before this one was taken back; empty: it was not. */
  const takenBack = async (number: number): Promise<string> => {
    const before = strategy()?.generation;
    if (before === undefined || before.number <= number) return "";
    const { generation } = await strategies.getGeneration({ name: before.name });
    return generation?.takenBack ?? "";
  };
  const catchUp = (): void => {
    const [number, known] = [cockpit.generation(), strategy()?.generation?.number];
    if (number === undefined || known === undefined || number === known || busy() !== "") return;
    notify(`Generation ${number} decides now`);
    void load(true);
  };
  const show = (fresh: TrialReport | undefined): void => {
    setReport(fresh);
    const [worst] = faults();
    if (worst?.severity === FaultSeverity.ERROR && sourceOf(files(), worst.file) !== undefined) open(worst.file, Math.max(1, worst.line));
    code?.mark(marksOf(faults(), path()));
  };
  const check = async (): Promise<void> => {
    setBusy("The trial runs");
    try {
      show((await strategies.checkStrategy({ team, files: { files: files() } })).report);
    } catch (error) {
      complain(error);
    }
    setBusy("");
    catchUp();
  };
  const activate = async (): Promise<void> => {
    setBusy("The trial runs; then it plays");
    let refused = false;
    try {
      const answer = await strategies.activateStrategy({ team, files: { files: files() } });
      show(answer.report);
      notify(`Generation ${answer.generation?.number ?? 0} decides from the next turn on`);
      await load(false);
    } catch (error) {
      refused = true;
      const [found] = ConnectError.from(error).findDetails(TrialReportSchema);
      if (found !== undefined) show(found);
      const worst = found === undefined ? undefined : faults()[0];
      complain(worst === undefined ? error : new Error(`Not activated. ${faultText(worst)}`));
    }
    setBusy("");
    // A generation may have arrived in the meantime.
    if (refused) catchUp();
  };
  const pin = (): void => {
    const pinned = strategy()?.pinned === true;
    const call = (): Promise<unknown> => (pinned ? strategies.unpinStrategy({ team }) : strategies.pinStrategy({ team }));
    void attempt(pinned ? "Changed files play again" : "The generation is pinned", call).then(() => load(true));
  };
  const attach = (made: Code): void => {
    code = made;
    void load(true);
    // Changed files, other operators and too many errors also change the generation.
    createEffect(on(cockpit.generation, catchUp));
    // A new token takes effect at once.
    createEffect(on(may, (allowed) => { made.permit(allowed); }, { defer: true }));
  };
  return {
    team, strategy, files, edited, path, text, report, faults, busy, may, open, check, activate, pin, load, attach,
    original: (name) => sourceOf(loaded(), name),
    changed: (fresh) => setEdited((old) => withEdit(old, path(), fresh, sourceOf(loaded(), path()))),
    save() {
      if (busy() !== "" || !may()) return;
      void (edited().size > 0 ? activate() : check());
    },
    forget: () => { show(undefined); },
    discard() {
      setEdited(new Map());
      show(undefined);
      open(sourceOf(loaded(), path()) === undefined ? (files()[0]?.path ?? "") : path());
    },
    add(name) {
      if (sourceOf(files(), name) === undefined) setEdited((old) => new Map(old).set(name, ""));
      open(name);
    },
  };
}

function pairsOf(files: readonly StrategyFile[]): (readonly [string, string])[] {
  return files.map(({ path, source }) => [path, source]);
}

function withEdits(loaded: readonly StrategyFile[], edited: ReadonlyMap<string, string>): StrategyFile[] {
  const sources = new Map([...pairsOf(loaded), ...edited]);
  return inOrder([...sources.keys()]).map((path) => ({ $typeName: "phalanx.v1.StrategyFile", path, source: sources.get(path) ?? "" }));
}

function withEdit(edited: ReadonlyMap<string, string>, path: string, text: string, before: string | undefined): ReadonlyMap<string, string> {
  const next = new Map(edited);
  if (text === before) next.delete(path);
  else next.set(path, text);
  return next;
}

function marksOf(faults: readonly Fault[], path: string): Mark[] {
  return faults
    .filter((fault) => fault.file === path && fault.line > 0)
    .map((fault) => ({
      line: fault.line,
      column: fault.column,
      severity: fault.severity === FaultSeverity.ERROR ? "error" : "warning",
      message: fault.help === "" ? fault.message : `${fault.message} ${fault.help}`,
    }));
}
