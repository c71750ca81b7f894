/** The lab: ladders, tune runs and leagues, also those that other processes play. */
import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { LeagueState } from "../gen/phalanx/v1/league_pb";
import { choiceText, parseChoice, type Kind } from "../lab/choice";
import { figure } from "../match/names";
import { shortName, useCockpit } from "../state/cockpit";
import { createPolled } from "../state/polled";
import { Progress } from "../ui/progress";
import { LadderPanel } from "./lab-ladder";
import { LeaguePanel } from "./lab-league";
import { TunePanel } from "./lab-tune";
import "./lab.css";

/** Interval between two requests for the lists, in milliseconds. */
const EVERY = 3_000;

/** One entry of the list. */
interface Item {
  readonly kind: Kind;
  readonly name: string;
  readonly game: string;
  readonly playing: boolean;
  readonly played: number;
  readonly planned: number;
  readonly trouble: string;
}

const TITLES: Readonly<Record<Kind, string>> = { ladder: "Ladders", tune: "Tune runs", league: "Leagues" };

/** The list, and what is chosen from it. */
export default function LabView(): JSX.Element {
  const cockpit = useCockpit();
  const { lab, leagues } = cockpit.api;
  const always = (): string => "";
  const [given] = createSignal({ pageSize: 1_000 });
  const ladders = createPolled(EVERY, always, (_, signal) => lab.listLadders(given(), { signal }));
  const runs = createPolled(EVERY, always, (_, signal) => lab.listTuneRuns(given(), { signal }));
  const played = createPolled(EVERY, always, (_, signal) => leagues.listLeagues(given(), { signal }));
  const items = createMemo((): readonly Item[] => [
    ...(ladders().value?.ladders ?? []).map((one): Item => ({ kind: "ladder", name: shortName(one.name), game: one.game, playing: one.player !== "", played: Number(one.played), planned: Number(one.played + one.pending), trouble: one.trouble })),
    ...(runs().value?.runs ?? []).map((one): Item => ({ kind: "tune", name: shortName(one.name), game: one.game, playing: one.playing, played: Number(one.played), planned: Number(one.budget), trouble: one.trouble })),
    ...(played().value?.leagues ?? []).map((one): Item => ({ kind: "league", name: shortName(one.name), game: one.plan?.game ?? "", playing: one.state === LeagueState.PLAYING, played: Number(one.standing?.played ?? 0n), planned: Number(one.standing?.total ?? 0n), trouble: one.trouble })),
  ]);
  const chosen = createMemo(() => {
    const wanted = parseChoice(cockpit.place().agent);
    if (wanted !== undefined) return choiceText(wanted);
    const first = items().find(({ playing }) => playing) ?? items()[0];
    return first === undefined ? "" : choiceText(first);
  });
  const choice = createMemo(() => parseChoice(chosen()));
  const league = createMemo(() => {
    const wanted = choice();
    return wanted?.kind === "league" ? (played().value?.leagues ?? []).find(({ name }) => shortName(name) === wanted.name) : undefined;
  });
  const asked = (): boolean => [ladders(), runs(), played()].every(({ value, fault }) => value !== undefined || fault !== undefined);
  const absent = (): boolean => ladders().fault?.reason === "NO_LAB";
  const trouble = (): string => [ladders().fault, runs().fault, played().fault].find((fault) => fault !== undefined && !["NO_LAB", "NO_LEAGUES"].includes(fault.reason))?.text ?? "";
  const away = (): string => {
    const server = ladders().value?.server;
    return server === undefined || server.trouble === "" ? "" : `The ladders of ${server.address} cannot be read: ${server.trouble}`;
  };
  const name = (kind: Kind): string | undefined => (choice()?.kind === kind ? choice()?.name : undefined);
  return (
    <Show when={items().length > 0} fallback={<Show when={asked()}><Nothing absent={absent()} trouble={trouble() || away()} /></Show>}>
      <div class="lab">
        <nav class="card lab-list" aria-label="Ladders, tune runs and leagues">
          <For each={["ladder", "tune", "league"] as const}>{(kind) => <Group title={TITLES[kind]} items={items().filter((item) => item.kind === kind)} chosen={chosen()} />}</For>
          <Show when={trouble()}>{(text) => <p class="warn">{text()}</p>}</Show>
          <Show when={away()}>{(text) => <p class="warn" data-server>{text()}</p>}</Show>
          <Show when={absent()}>
            <p class="dim">Ladders and tune runs appear here when the setting <code>lab.path</code> names their folder, or <code>lab.nats</code> the server of ladders.</p>
          </Show>
        </nav>
        <div class="lab-shown">
          <Switch>
            <Match when={name("ladder")}>{(it) => <Show when={it()} keyed>{(ladder) => <LadderPanel name={ladder} />}</Show>}</Match>
            <Match when={name("tune")}>{(it) => <Show when={it()} keyed>{(run) => <TunePanel name={run} />}</Show>}</Match>
            <Match when={name("league")}>
              {(it) => <Show when={it()} keyed>{(one) => <LeaguePanel name={one} league={league()} known={asked()} />}</Show>}
            </Match>
          </Switch>
        </div>
      </div>
    </Show>
  );
}

function Group(props: { title: string; items: readonly Item[]; chosen: string }): JSX.Element {
  const cockpit = useCockpit();
  return (
    <Show when={props.items.length > 0}>
      <section aria-label={props.title}>
        <h2>{props.title}</h2>
        <ul class="plain">
          <For each={props.items}>
            {(item) => (
              <li>
                <button
                  type="button"
                  class="lab-item"
                  data-item={choiceText(item)}
                  aria-current={props.chosen === choiceText(item) ? "true" : undefined}
                  onClick={() => { cockpit.go({ agent: choiceText(item), turn: undefined }); }}
                >
                  <span class="lab-item-name">
                    {item.name}
                    <Show when={item.playing}>
                      <span class="lab-live">playing</span>
                    </Show>
                    <Show when={item.trouble !== ""}>
                      <span class="bad" title={item.trouble}>trouble</span>
                    </Show>
                  </span>
                  <span class="dim">
                    {item.game}, {figure(item.played)}
                    {item.kind === "ladder" ? "" : ` of ${figure(item.planned)}`} matches
                  </span>
                  <Show when={item.kind !== "ladder"}>
                    <Progress label={`${item.name}: matches played`} done={item.played} of={item.planned} />
                  </Show>
                </button>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

/** What to do where nothing is there. */
function Nothing(props: { absent: boolean; trouble: string }): JSX.Element {
  return (
    <section class="card lab-nothing" data-empty>
      <h2>No ladder, tune run or league yet</h2>
      <Show when={props.trouble}>{(text) => <p class="warn">{text()}</p>}</Show>
      <Show
        when={props.absent}
        fallback={<p>Nothing is in the folder of the setting <code>lab.path</code> and on the server of <code>lab.nats</code>. These commands begin something there:</p>}
      >
        <p>Give the daemon a folder in its settings, and play into that folder. This page then shows the progress, also of matches that workers play:</p>
        <pre class="boxed" tabIndex={0}>{"[lab]\npath = \"/srv/contest/lab\""}</pre>
      </Show>
      <pre class="boxed" tabIndex={0}>
        {"phalanx ladder submit /srv/contest/lab/club mine shipped\nphalanx ladder match /srv/contest/lab/club\nphalanx tune run mine --opponent shipped --out /srv/contest/lab/mine\nphalanx league run --strategy mine --strategy shipped --seeds 1..50 --folder /srv/contest/lab/night"}
      </pre>
    </section>
  );
}
