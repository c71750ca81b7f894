/** A tune run: the best so far, the influence of each parameter, and the final test. */
import { createEffect, createMemo, createSignal, For, on, Show, type JSX } from "solid-js";
import { TuneVerdict, type TuneImprovement, type TuneParameter, type TuneReport, type TuneRun, type TuneTest } from "../gen/phalanx/v1/lab_pb";
import { Pace, timeLeft } from "../lab/pace";
import { steps } from "../lab/steps";
import { figure } from "../match/names";
import { useCockpit } from "../state/cockpit";
import { createPolled } from "../state/polled";
import { Chart } from "../ui/chart";
import { Progress } from "../ui/progress";
import { QueueWorkers } from "../ui/queue-workers";
import { SprtGauge } from "../ui/sprt-gauge";

/** Interval between two requests, in milliseconds. */
const EVERY = 3_000;

const VERDICTS: Readonly<Record<TuneVerdict, { text: string; look: string }>> = {
  [TuneVerdict.UNSPECIFIED]: { text: "not decided yet", look: "dim" },
  [TuneVerdict.NOTHING_FOUND]: { text: "nothing better found", look: "warn" },
  [TuneVerdict.BETTER]: { text: "better, proved", look: "good" },
  [TuneVerdict.NOT_BETTER]: { text: "not better", look: "warn" },
  [TuneVerdict.UNDECIDED]: { text: "no proof", look: "warn" },
};

export function TunePanel(props: { name: string }): JSX.Element {
  const { lab } = useCockpit().api;
  const polled = createPolled(EVERY, () => props.name, (name, signal) => lab.getTuneRun({ name: `tuneRuns/${name}` }, { signal }));
  return (
    <Show when={polled().value?.run} fallback={<p class="empty">{polled().fault?.text ?? "Waiting for the daemon's answer."}</p>}>
      {(run) => (
        <>
          <Head name={props.name} run={run()} />
          <Show when={polled().value?.report}>
            {(report) => (
              <>
                <Best run={run()} report={report()} />
                <Parameters parameters={report().parameters} />
                <Show when={report().test}>{(test) => <FinalTest test={test()} />}</Show>
                <section class="card" aria-labelledby="tune-played">
                  <h2 id="tune-played">How it is played</h2>
                  <ul class="words">
                    <For each={report().conditions}>{(line) => <li>{line}</li>}</For>
                  </ul>
                </section>
              </>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}

function Head(props: { name: string; run: TuneRun }): JSX.Element {
  const pace = new Pace();
  const [perMinute, setPerMinute] = createSignal<number>();
  createEffect(
    on(() => props.run, (run) => {
      pace.note(Date.now(), Number(run.played));
      setPerMinute(pace.perMinute());
    }),
  );
  const verdict = (): { text: string; look: string } => VERDICTS[props.run.verdict];
  return (
    <section class="card" aria-labelledby="tune-head">
      <h2 id="tune-head">Tune run {props.name}</h2>
      <Show
        when={props.run.trouble === ""}
        fallback={<p class="warn">It cannot be shown: {props.run.trouble}</p>}
      >
        <p class="lab-figures">
          <span>
            <strong>{props.run.strategy}</strong>, {props.run.game}
          </span>
          <span class={verdict().look} data-verdict>
            {verdict().text}
          </span>
          <span>
            <strong data-figure="played">{figure(Number(props.run.played))}</strong> of {figure(Number(props.run.budget))} matches
          </span>
          <span>{figure(Number(props.run.candidates))} candidates</span>
          <Show when={props.run.playing && perMinute()}>{(speed) => <span>{figure(speed())} a minute</span>}</Show>
          <Show when={props.run.playing && timeLeft(Number(props.run.budget - props.run.played), perMinute())}>{(text) => <span class="dim">at most {text()}</span>}</Show>
          <Show when={!props.run.playing && props.run.verdict === TuneVerdict.UNSPECIFIED}>
            <span class="dim">no match is being played</span>
          </Show>
        </p>
        <Progress label="Matches played, of the budget" done={Number(props.run.played)} of={Number(props.run.budget)} />
        <QueueWorkers workers={props.run.workers} />
        <p>{capital(props.run.summary)}.</p>
        <Show when={props.run.failed > 0n}>
          <p class="warn">{figure(Number(props.run.failed))} matches failed and are not counted.</p>
        </Show>
      </Show>
    </section>
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function Best(props: { run: TuneRun; report: TuneReport }): JSX.Element {
  const drawn = createMemo(() => steps(props.report.improvements, Number(props.run.played)));
  const newest = createMemo(() => [...props.report.improvements].reverse());
  return (
    <section class="card" aria-labelledby="tune-best">
      <h2 id="tune-best">Best so far</h2>
      <Show when={newest().length > 0} fallback={<p class="dim">No candidate was better than the values at the start yet.</p>}>
        <Chart
          label={`Lead of the best candidate over the values at the start: ${lead(newest()[0])} ${props.report.unit}`}
          height={190}
          xs={drawn().xs}
          plots={[
            { name: "lead", colour: "--accent", values: drawn().lead },
            { name: "lower end (95 %)", colour: "--held", values: drawn().low, dashed: true },
            { name: "upper end", colour: "--held", values: drawn().high, dashed: true },
          ]}
          xText={figure}
          yText={(value) => value.toLocaleString("en", { maximumFractionDigits: 1 })}
          xLabel="matches"
          yLabel="lead"
        />
        <div class="scroll" tabIndex={0} role="group" aria-label="New best candidates">
          <table class="list">
            <thead>
              <tr>
                <th scope="col" class="number">After matches</th>
                <th scope="col" class="number">Candidate</th>
                <th scope="col" class="number">Lead ± 95 %</th>
                <th scope="col" class="number">Seeds</th>
                <th scope="col">Values</th>
              </tr>
            </thead>
            <tbody>
              <For each={newest()}>
                {(one) => (
                  <tr data-candidate={one.candidate.toString()}>
                    <td class="number">{figure(Number(one.played))}</td>
                    <td class="number">{one.candidate.toString()}</td>
                    <td class="number">{lead(one)}</td>
                    <td class="number">{one.seeds.toString()}</td>
                    <td class="mono">{Object.entries(one.values).sort().map(([name, value]) => `${name} = ${value}`).join(", ")}</td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
        <p class="dim">
          The lead is that over the values at the start, on the seeds of the search, in {props.report.unit}. The best of many candidates looks better than it is: what counts is the final test on fresh seeds.
        </p>
      </Show>
    </section>
  );
}

/** `+4.2 ± 1.3`. */
function lead(one: TuneImprovement | undefined): string {
  if (one === undefined) return "";
  const text = (value: number): string => value.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).replace("-", "−");
  return `${one.lead > 0 ? "+" : ""}${text(one.lead)}${one.error === undefined ? "" : ` ± ${text(one.error)}`}`;
}

function Parameters(props: { parameters: readonly TuneParameter[] }): JSX.Element {
  const sorted = createMemo(() => [...props.parameters].sort((a, b) => b.influence - a.influence));
  const two = (value: number): string => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace("-", "−");
  return (
    <section class="card" aria-labelledby="tune-parameters">
      <h2 id="tune-parameters">Influence of each parameter</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Parameters">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col" class="number">Influence</th>
              <th scope="col">With its interval</th>
              <th scope="col" class="number">95 %</th>
              <th scope="col">Better</th>
              <th scope="col">Start</th>
              <th scope="col">Best</th>
              <th scope="col">Range</th>
            </tr>
          </thead>
          <tbody>
            <For each={sorted()}>
              {(one) => (
                <tr data-parameter={one.name}>
                  <th scope="row" class="mono">{one.name}</th>
                  <td class="number">{two(one.influence)}</td>
                  <td class="interval">
                    <span class="interval-track" data-from-zero data-certain={one.certain ? "" : undefined} aria-hidden="true">
                      <span class="interval-fill" style={{ width: `${one.influence * 100}%` }} />
                      <Show when={one.interval}>
                        {(interval) => <span class="interval-bar" style={{ left: `${Math.max(0, interval().low) * 100}%`, right: `${100 - Math.max(0, interval().high) * 100}%` }} />}
                      </Show>
                    </span>
                  </td>
                  <td class="number dim">{one.interval === undefined ? "too few candidates" : `${two(one.interval.low)} to ${two(one.interval.high)}`}</td>
                  <td>{one.certain ? one.better : <span class="dim">unclear</span>}</td>
                  <td class="mono">{one.start}</td>
                  <td class="mono" data-changed={one.best === one.start ? undefined : ""}>{one.best}</td>
                  <td class="dim">{one.range}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <p class="dim">
        The influence is the rank correlation between a parameter and the lead of the candidates, from 0 to 1. An interval that includes 0 means that the run cannot tell whether the parameter matters.
      </p>
    </section>
  );
}

function FinalTest(props: { test: TuneTest }): JSX.Element {
  const percent = (value: number): string => (value * 100).toLocaleString("en", { maximumFractionDigits: 1 });
  return (
    <section class="card" aria-labelledby="tune-test">
      <h2 id="tune-test">Final test on fresh seeds</h2>
      <p class="lab-figures">
        <span>
          <strong>{props.test.tuned}</strong> with the best values
        </span>
        <span>
          <strong>{props.test.start}</strong> with those at the start
        </span>
        <span>
          better in <strong>{percent(props.test.share)} ± {percent(props.test.error)} %</strong> of the comparisons on {figure(Number(props.test.seeds))} seeds
        </span>
      </p>
      <Show when={props.test.sprt}>{(state) => <SprtGauge state={state()} lower="not better" upper="better" />}</Show>
    </section>
  );
}
