/** The files of the strategy in an editor, and what the trial found. */
import { createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { createCode, type Beside, type Code } from "../editor/code";
import { faultText, isSpec } from "../editor/faults";
import type { Workspace } from "../editor/workspace";
import { FaultSeverity, type Fault, type TrialReport } from "../gen/phalanx/v1/strategies_pb";
import { milliseconds } from "../match/history";

/** Tabs of the files, the editor, its buttons, and the report. */
export function Files(props: { work: Workspace; beside: Beside; failing: ReadonlySet<string>; deciding: ReadonlySet<string>; ready: (code: Code) => void }): JSX.Element {
  const work = (): Workspace => props.work;
  let box: HTMLDivElement | undefined;
  // The editor needs its document's window, which exists once the element is in the page.
  onMount(() => {
    if (box === undefined) return;
    const code = createCode(box, work().changed, "Source of the file", props.beside);
    onCleanup(() => { code.destroy(); });
    work().attach(code);
    props.ready(code);
  });
  const stateOf = (path: string): string | undefined => (props.failing.has(path) ? "failing" : props.deciding.has(path) ? "deciding" : undefined);
  return (
    <section class="card desk-files" aria-labelledby="files">
      <h2 id="files" class="hidden-label">
        Files
      </h2>
      <div class="files" role="group" aria-label="Files">
        <For each={work().files()}>
          {(file) => (
            <button
              type="button"
              aria-pressed={file.path === work().path()}
              data-edited={work().edited().has(file.path) ? "" : undefined}
              data-state={stateOf(file.path)}
              data-spec={isSpec(file.path) ? "" : undefined}
              onClick={() => { work().open(file.path); }}
            >
              {file.path}
              {work().edited().has(file.path) ? " •" : ""}
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
      <Actions work={work()} />
      <Show when={work().report()}>{(it) => <Report report={it()} faults={work().faults()} close={work().forget} goTo={(fault) => { work().open(fault.file, fault.line); }} />}</Show>
    </section>
  );
}

function Actions(props: { work: Workspace }): JSX.Element {
  const idle = (): boolean => props.work.busy() === "";
  const changed = (): boolean => props.work.edited().size > 0;
  return (
    <div class="row actions">
      <button
        type="button"
        class="main"
        title="Tries the files; if everything passes, they decide from the next turn on (Ctrl+S)"
        disabled={!props.work.may() || !idle() || !changed()}
        onClick={() => void props.work.activate()}
      >
        Activate
      </button>
      <button type="button" title="Tries the files without letting them play" disabled={!idle() || props.work.files().length === 0} onClick={() => void props.work.check()}>
        Check
      </button>
      <button type="button" disabled={!changed()} onClick={() => { props.work.discard(); }}>
        Throw changes away
      </button>
      <NewFile add={props.work.add} />
      <span class="grow" />
      <span class="dim" role="status">
        {props.work.busy()}
      </span>
      <Show when={props.work.strategy()?.generation}>
        {(it) => (
          <span class="dim">
            Generation <strong data-generation>{it().number}</strong> decides
          </span>
        )}
      </Show>
    </div>
  );
}

function NewFile(props: { add: (path: string) => void }): JSX.Element {
  const [name, setName] = createSignal("");
  let box: HTMLDetailsElement | undefined;
  return (
    <details
      class="desk-new"
      ref={(it) => {
        box = it;
      }}
    >
      <summary>New file</summary>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          props.add(name());
          setName("");
          box?.removeAttribute("open");
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
        <button type="submit" class="plain-button">
          Add file
        </button>
      </form>
    </details>
  );
}

function Report(props: { report: TrialReport; faults: readonly Fault[]; goTo: (fault: Fault) => void; close: () => void }): JSX.Element {
  const spent = (): string => `${Math.round(milliseconds(props.report.spent) ?? 0)} ms`;
  return (
    <div class="report" data-passed={props.report.passed ? "" : undefined} role="status">
      <p>
        <strong class={props.report.passed ? "good" : "bad"}>{props.report.passed ? "The trial passed" : "The trial failed"}</strong>{" "}
        <span class="dim">
          {props.report.specsPassed} specs passed, {props.report.specsFailed} failed, {props.report.turnsRehearsed} turns
          rehearsed, {spent()}
        </span>
        <span class="grow" />
        <button type="button" class="quiet" aria-label="Close the report" onClick={() => { props.close(); }}>
          ×
        </button>
      </p>
      <Show when={props.faults.length > 0}>
        <ol class="plain faults">
          <For each={props.faults}>
            {(fault, at) => (
              <li data-severity={fault.severity === FaultSeverity.ERROR ? "error" : "warning"}>
                <button type="button" class="as-link mono" onClick={() => { props.goTo(fault); }}>
                  {fault.file}:{fault.line}
                </button>{" "}
                <span class={fault.severity === FaultSeverity.ERROR ? "bad" : "warn"}>{fault.message}</span> {fault.help}
                <Show when={at() === 0 && fault.excerpt !== ""}>
                  <pre class="boxed" tabIndex={0} aria-label={faultText(fault)}>{fault.excerpt}</pre>
                </Show>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </div>
  );
}
