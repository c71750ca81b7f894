/** The workers of a queue that lately played for a league, a tune run or a ladder. */
import { For, Show, type JSX } from "solid-js";
import type { QueueWorker } from "../gen/phalanx/v1/league_pb";
import { figure } from "../match/names";

/** Nothing where none play. */
export function QueueWorkers(props: { workers: readonly QueueWorker[] }): JSX.Element {
  return (
    <Show when={props.workers.length > 0}>
      <details class="lab-workers">
        <summary data-figure="workers">
          <strong>{figure(props.workers.length)}</strong> {props.workers.length === 1 ? "worker" : "workers"} played in the last minute
        </summary>
        <div class="scroll" tabIndex={0} role="group" aria-label="Workers">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Worker</th>
                <th scope="col">Version</th>
                <th scope="col" class="number">Matches</th>
              </tr>
            </thead>
            <tbody>
              <For each={props.workers}>
                {(worker) => (
                  <tr data-worker={worker.name}>
                    <th scope="row" class="mono">{worker.name}</th>
                    <td class="mono">{worker.version}</td>
                    <td class="number">{figure(Number(worker.matches))}</td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
      </details>
    </Show>
  );
}
