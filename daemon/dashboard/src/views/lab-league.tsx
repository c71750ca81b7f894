/** A league: how far it is, and its table. */
import { createEffect, createSignal, on, Show, type JSX } from "solid-js";
import { LeagueState, type League } from "../gen/phalanx/v1/league_pb";
import { Pace, timeLeft } from "../lab/pace";
import { figure } from "../match/names";
import { LeagueTable } from "../ui/league-table";
import { Progress } from "../ui/progress";
import { QueueWorkers } from "../ui/queue-workers";
import { SprtGauge } from "../ui/sprt-gauge";

/** `league` is renewed again and again; `known`: whether all leagues are known. */
export function LeaguePanel(props: { name: string; league: League | undefined; known: boolean }): JSX.Element {
  const pace = new Pace();
  const [perMinute, setPerMinute] = createSignal<number>();
  const played = (): number => Number(props.league?.standing?.played ?? 0n);
  const total = (): number => Number(props.league?.standing?.total ?? 0n);
  createEffect(
    on(() => props.league, (league) => {
      if (league === undefined) return;
      pace.note(Date.now(), played());
      setPerMinute(pace.perMinute());
    }),
  );
  return (
    <Show when={props.league} fallback={<p class="empty">{props.known ? `There is no league ${props.name} any more.` : "Waiting for the daemon's answer."}</p>}>
      {(league) => (
        <>
          <section class="card" aria-labelledby="league-progress">
            <h2 id="league-progress">Progress of {props.name}</h2>
            <p class="lab-figures">
              <span>
                <strong data-figure="played">{figure(played())}</strong> of {figure(total())} matches
              </span>
              <Show when={league().state === LeagueState.PLAYING && perMinute()}>{(speed) => <span>{figure(speed())} a minute</span>}</Show>
              <Show when={league().state === LeagueState.PLAYING && timeLeft(total() - played(), perMinute())}>{(text) => <span>{text()}</span>}</Show>
            </p>
            <Progress label="Matches played" done={played()} of={total()} />
            <QueueWorkers workers={league().workers} />
            <Show when={league().folder}>
              {(folder) => <p class="dim">Another process plays it, here or on workers, and keeps it in <code>{folder()}</code>.</p>}
            </Show>
            <Show when={league().standing?.sprt}>
              {(state) => (
                <>
                  <h3>Early stop</h3>
                  <SprtGauge state={state()} lower="not better" upper="better" />
                </>
              )}
            </Show>
          </section>
          <section class="card scroll" aria-label="Table" tabIndex={0}>
            <LeagueTable league={league()} own={[]} />
          </section>
        </>
      )}
    </Show>
  );
}
