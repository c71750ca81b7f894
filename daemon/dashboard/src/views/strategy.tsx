/** The team's strategy: files, trial, generations, parameters. */
import { ConnectError } from "@connectrpc/connect";
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { createCode, type Code, type Mark } from "../editor/code";
import { rebase } from "../editor/changes";
import { namesOf } from "../editor/signatures";
import { Role } from "../gen/phalanx/v1/access_pb";
import { FaultSeverity, TrialReportSchema, type Fault, type Strategy, type StrategyFile, type TrialReport } from "../gen/phalanx/v1/strategies_pb";
import { milliseconds } from "../match/history";
import { useCockpit } from "../state/cockpit";
import { attempt, complain, notify } from "../ui/notices";
import { Generations } from "./strategy-generations";
import { Params } from "./strategy-params";

/** The signatures of each game's scripts; only those of the chosen team are fetched. */
const SIGNATURES = import.meta.glob<string>("../../../../scripts/types/*.d.luau", { query: "?raw", import: "default" });

/** Editor on the left, the active generation on the right. */
export default function StrategyView(): JSX.Element {
  const cockpit = useCockpit();
  const team = (): string => `teams/${cockpit.place().team}`;
  const may = (): boolean => cockpit.role() >= Role.OPERATOR;
  const { strategies } = cockpit.api;
  const [strategy, setStrategy] = createSignal<Strategy>();
  const [loaded, setLoaded] = createSignal<readonly StrategyFile[]>([]);
  const [edited, setEdited] = createSignal<ReadonlyMap<string, string>>(new Map());
  const [path, setPath] = createSignal("");
  const [report, setReport] = createSignal<TrialReport>();
  const [busy, setBusy] = createSignal("");
  let code: Code | undefined;

  const files = createMemo((): StrategyFile[] => {
    const known = loaded().map((file) => ({ ...file, source: edited().get(file.path) ?? file.source }));
    const paths = new Set(known.map((file) => file.path));
    const fresh = [...edited()].filter(([name]) => !paths.has(name));
    return [...known, ...fresh.map(([name, source]): StrategyFile => ({ $typeName: "phalanx.v1.StrategyFile", path: name, source }))];
  });
  let loads = 0;
  const load = async (keep: boolean): Promise<void> => {
    loads += 1;
    const mine = loads;
    try {
      const found = await strategies.getStrategy({ name: `${team()}/strategy` });
      const number = found.strategy?.generation?.number ?? 0;
      const { generation } = await strategies.getGeneration({ name: `${team()}/generations/${number}` });
      if (mine !== loads) return;
      setStrategy(found.strategy);
      if (found.strategy?.lastTrial !== undefined && report() === undefined) setReport(found.strategy.lastTrial);
      take(generation?.files ?? [], keep);
    } catch (error) {
      complain(error);
    }
  };
  const catchUp = (): void => {
    const [number, known] = [cockpit.generation(), strategy()?.generation?.number];
    if (number === undefined || known === undefined || number === known || busy() !== "") return;
    notify(`Generation ${number} decides now`);
    void load(true);
  };
  const take = (fresh: readonly StrategyFile[], keep: boolean): void => {
    const before = loaded();
    const laid = rebase(before, fresh, keep ? edited() : new Map());
    const shown = files().find((file) => file.path === path())?.source;
    setLoaded(fresh);
    setEdited(laid.edited);
    if (laid.both.length > 0) notify(`Also changed in the generation that decides now: ${laid.both.join(", ")}`);
    const now = files().find((file) => file.path === path()) ?? files()[0];
    // Keep the user's cursor if the text did not change.
    if (now?.path !== path() || now.source !== shown) open(now?.path ?? "");
  };
  const open = (name: string): void => {
    setPath(name);
    code?.open(files().find((file) => file.path === name)?.source ?? "", may());
    code?.mark(marksOf(report()?.faults ?? [], name));
  };
  const changed = (text: string): void => {
    const before = loaded().find((file) => file.path === path())?.source;
    setEdited((old) => {
      const next = new Map(old);
      if (text === before) next.delete(path());
      else next.set(path(), text);
      return next;
    });
  };
  const show = (fresh: TrialReport | undefined): void => {
    setReport(fresh);
    code?.mark(marksOf(fresh?.faults ?? [], path()));
  };
  const check = async (): Promise<void> => {
    setBusy("The trial runs");
    try {
      const answer = await strategies.checkStrategy({ team: team(), files: { files: files() } });
      show(answer.report);
    } catch (error) {
      complain(error);
    }
    setBusy("");
  };
  const activate = async (): Promise<void> => {
    setBusy("The trial runs; then it plays");
    let refusal: unknown;
    try {
      const answer = await strategies.activateStrategy({ team: team(), files: { files: files() } });
      show(answer.report);
      notify(`Generation ${answer.generation?.number ?? 0} decides from the next turn on`);
      await load(false);
    } catch (error) {
      refusal = error;
      const [refused] = ConnectError.from(error).findDetails(TrialReportSchema);
      if (refused !== undefined) show(refused);
      complain(error);
    }
    setBusy("");
    // A generation may have arrived in the meantime.
    if (refusal !== undefined) catchUp();
  };
  let box: HTMLDivElement | undefined;
  // The editor needs its document's window, which exists once the element is in the page.
  onMount(() => {
    if (box === undefined) return;
    code = createCode(box, changed, "Source of the file");
    onCleanup(() => code?.destroy());
    void load(false);
    // Changed files, other operators and too many errors also change the generation.
    createEffect(on(cockpit.generation, catchUp));
    createEffect(
      on(cockpit.game, (game) => {
        const signatures = SIGNATURES[`../../../../scripts/types/${game ?? ""}.d.luau`];
        void signatures?.().then((text) => code?.complete(namesOf(text)));
      }),
    );
    // A new token takes effect at once.
    createEffect(on(may, () => { if (path() !== "") open(path()); }, { defer: true }));
  });
  const pin = (): void => {
    const pinned = strategy()?.pinned === true;
    const call = (): Promise<unknown> =>
      pinned ? strategies.unpinStrategy({ team: team() }) : strategies.pinStrategy({ team: team() });
    void attempt(pinned ? "Changed files play again" : "The generation is pinned", call).then(() => load(true));
  };

  return (
    <div class="strategy">
      <section class="card" aria-labelledby="files">
        <h2 id="files">Files</h2>
        <div class="row files" role="group" aria-label="Files">
          <For each={files()}>
            {(file) => (
              <button
                type="button"
                aria-pressed={file.path === path()}
                data-edited={edited().has(file.path) ? "" : undefined}
                onClick={() => { open(file.path); }}
              >
                {file.path}
                {edited().has(file.path) ? " •" : ""}
              </button>
            )}
          </For>
        </div>
        <div
          ref={(it) => {
            box = it;
          }}
          class="code"
        />
        <div class="row actions">
          <button type="button" disabled={busy() !== "" || files().length === 0} onClick={() => void check()}>
            Check
          </button>
          <button type="button" class="main" disabled={!may() || busy() !== "" || edited().size === 0} onClick={() => void activate()}>
            Activate
          </button>
          <button
            type="button"
            disabled={edited().size === 0}
            onClick={() => {
              setEdited(new Map());
              open(path());
            }}
          >
            Throw changes away
          </button>
          <NewFile
            add={(name) => {
              setEdited((old) => new Map(old).set(name, ""));
              open(name);
            }}
          />
          <span class="dim" role="status">
            {busy()}
          </span>
        </div>
        <Show when={report()}>
          {(it) => (
            <Report
              report={it()}
              goTo={(fault) => {
                open(fault.file);
                code?.goTo(fault.line);
              }}
            />
          )}
        </Show>
      </section>
      <div class="stack">
        <section class="card" aria-labelledby="decides">
          <h2 id="decides">What decides</h2>
          <Show when={strategy()}>
            {(it) => (
              <>
                <dl class="pairs">
                  <dt>Generation</dt>
                  <dd data-generation>{it().generation?.number ?? 0}</dd>
                  <dt>From</dt>
                  <dd>{it().generation?.origin}</dd>
                  <dt>Folder</dt>
                  <dd>{it().folder || "built into the program"}</dd>
                  <dt>Files</dt>
                  <dd>{it().watching ? "the daemon loads changed files" : "changed files wait until you unpin"}</dd>
                </dl>
                <Show when={it().onProbation}>
                  <p class="warn">This generation is new: after too many errors the daemon rolls it back.</p>
                </Show>
                <button type="button" disabled={!may()} onClick={pin}>
                  {it().pinned ? "Unpin" : "Pin it"}
                </button>
              </>
            )}
          </Show>
        </section>
        <Generations team={team()} now={strategy()?.generation?.number ?? 0} changed={() => void load(true)} />
        <Params team={team()} />
      </div>
    </div>
  );
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

function NewFile(props: { add: (path: string) => void }): JSX.Element {
  const [name, setName] = createSignal("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        props.add(name());
        setName("");
      }}
    >
      <label>
        <span class="hidden-label">Path of a new file</span>
        <input
          class="mono"
          size={16}
          required
          pattern="[A-Za-z0-9_\-\/]+\.luau?"
          placeholder="lib/new.luau"
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="plain-button">Add file</button>
    </form>
  );
}

function Report(props: { report: TrialReport; goTo: (fault: Fault) => void }): JSX.Element {
  const spent = (): string => `${Math.round(milliseconds(props.report.spent) ?? 0)} ms`;
  return (
    <div class="report" data-passed={props.report.passed ? "" : undefined} role="status">
      <p>
        <strong class={props.report.passed ? "good" : "bad"}>{props.report.passed ? "The trial passed" : "The trial failed"}</strong>{" "}
        <span class="dim">
          {props.report.specsPassed} specs passed, {props.report.specsFailed} failed, {props.report.turnsRehearsed} turns
          rehearsed, {spent()}
        </span>
      </p>
      <ul class="words">
        <For each={props.report.faults}>
          {(fault) => (
            <li>
              <button type="button" class="as-link mono" onClick={() => { props.goTo(fault); }}>
                {fault.file}:{fault.line}
              </button>{" "}
              <span class={fault.severity === FaultSeverity.ERROR ? "bad" : "warn"}>{fault.message}</span> {fault.help}
              <Show when={fault.excerpt !== ""}>
                <pre class="dim">{fault.excerpt}</pre>
              </Show>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
