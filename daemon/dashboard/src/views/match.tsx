/** The match at a glance: map, scores, agents, problems, and what happened last. */
import { createMemo, Index, on, Show, type JSX } from "solid-js";
import { SeatState, type Agent } from "../gen/phalanx/v1/team_pb";
import type { WorldBody } from "../gen/phalanx/v1/worlds_pb";
import { isBad, OUTCOMES, counts, type Entry, type TurnRecord } from "../match/history";
import { momentText, race, raceText, type Contestant } from "../match/series";
import { byNumber } from "../match/strip";
import { steeringText, teamStateText, word } from "../match/words";
import { shortName, useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";
import { followRivals, sameMatch } from "../state/rivals";
import { Alerts } from "../ui/alerts";
import { Chart, type ChartMark } from "../ui/chart";
import { followWorlds, LiveMap, type LiveWorlds } from "./map";

/** Events in the list. */
const SHOWN = 40;
/** Turns in the punctuality strip. */
const PULSE = 60;
/** Colours of the rivals' lines, in the order of their names. */
const RIVAL_COLOURS = ["--theirs", "--warn", "--ordered"] as const;

/** The landing view. */
export function MatchView(): JSX.Element {
  const worlds = followWorlds();
  return (
    <div class="match">
      <LiveMap worlds={worlds} compact />
      <div class="match-side">
        <ScoreCard />
        <Alerts />
        <Roster worlds={worlds} />
        <NewestEvents />
      </div>
      <Pulse />
    </div>
  );
}

function ScoreCard(): JSX.Element {
  const cockpit = useCockpit();
  const { rivals, version } = followRivals();
  const teams = createMemo(() => {
    const own = cockpit.name();
    return [...sameMatch(cockpit.teams(), own)].sort((a, b) => Number(shortName(b.name) === own) - Number(shortName(a.name) === own));
  });
  const colourOf = (at: number): string => (at === 0 ? "--ours" : (RIVAL_COLOURS[(at - 1) % RIVAL_COLOURS.length] ?? "--dim"));
  const shown = createMemo(
    on([cockpit.version, version, rivals], () => {
      const round = cockpit.history.turns.at(-1)?.round;
      const own: Contestant = { name: cockpit.name(), colour: colourOf(0), turns: cockpit.history.turns };
      const others = rivals().map(({ name, history }, at): Contestant => ({ name, colour: colourOf(at + 1), dashed: true, turns: history.turns }));
      // A new round starts at zero: older rounds are in the list below the chart.
      return race([own, ...others].map((one) => ({ ...one, turns: one.turns.filter((turn) => turn.round === round) })));
    }),
  );
  const marks = createMemo(
    on(shown, ({ turns }): readonly ChartMark[] => {
      const steps = new Map(turns.map((turn, at) => [momentText(turn), at]));
      return cockpit.history.lines.flatMap(({ topic, level, round = 0, step = 0 }) => {
        const x = steps.get(momentText({ round, step }));
        if (x === undefined || !(topic === "strategy" || (topic === "alert" && level !== "info"))) return [];
        return [{ x, colour: topic === "alert" ? "--bad" : "--accent" }];
      });
    }),
  );
  return (
    <section class="card score-card" aria-labelledby="score">
      <h2 id="score">Score</h2>
      <ul class="scoreboard">
        <Index each={teams()}>
          {(team, at) => (
            <li data-side={at === 0 ? "ours" : "theirs"}>
              <a href={`#${placeText({ team: shortName(team().name), view: "match", agent: "", turn: undefined })}`} aria-current={at === 0 ? "true" : undefined}>
                {shortName(team().name)}
              </a>
              <strong>{team().score?.toLocaleString("en") ?? "–"}</strong>
              <span class="dim">{teamStateText(team().state, team().end)}</span>
            </li>
          )}
        </Index>
      </ul>
      <Show when={shown().turns.length > 1} fallback={<p class="empty">The server reports no score during a round.</p>}>
        <Chart
          label={raceText(shown())}
          height={120}
          xs={shown().turns.map((_, at) => at)}
          plots={shown().plots}
          marks={marks()}
          xText={(at) => momentText(shown().turns[at])}
        />
      </Show>
      <Show when={(cockpit.team()?.roundScores.length ?? 0) > 0}>
        <p class="dim">Finished rounds: {cockpit.team()?.roundScores.slice(-8).join(", ")}</p>
      </Show>
    </section>
  );
}

function Roster(props: { worlds: LiveWorlds }): JSX.Element {
  const cockpit = useCockpit();
  const agents = createMemo(() => [...(cockpit.team()?.agents ?? [])].sort((a, b) => byNumber(a.name, b.name)));
  const bodies = createMemo(
    on(props.worlds.count, () => {
      const parts = props.worlds.reel.worlds.at(-1)?.parts ?? [];
      return new Map(parts.flatMap((part) => part.bodies).filter((body) => body.agent !== undefined).map((body) => [body.name, body]));
    }),
  );
  const chosen = createMemo(() => agents().find((agent) => agent.name === cockpit.place().agent));
  return (
    <section class="card roster" aria-labelledby="roster">
      <h2 id="roster">Agents</h2>
      <Show when={chosen()}>{(agent) => <Chosen agent={agent()} body={bodies().get(agent().name)} />}</Show>
      <div class="roster-rows" tabIndex={0} role="region" aria-label="All agents">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Role</th>
              <th scope="col">Last action</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            <Index each={agents()} fallback={<tr><td colSpan={4} class="dim">No agent is in the team yet.</td></tr>}>
              {(agent) => <RosterRow agent={agent()} body={bodies().get(agent().name)} />}
            </Index>
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What is wrong with an agent, who steers it, or how it is. */
function stateOf(agent: Agent, body: WorldBody | undefined): { level: "bad" | "warn" | ""; text: string } {
  const trouble = agent.trouble || agent.seatReason;
  if (trouble !== "") return { level: "bad", text: trouble };
  if (agent.seatState !== SeatState.SEATED) return { level: "warn", text: word(SeatState, agent.seatState) };
  if (agent.steering !== undefined && agent.steering.mode.case !== "script") return { level: "warn", text: steeringText(agent.steering) };
  if (body?.alive === false) return { level: "warn", text: `out of action${body.detail === "" ? "" : `, ${body.detail}`}` };
  return { level: "", text: body === undefined || body.detail === "" ? "ready" : body.detail };
}

function RosterRow(props: { agent: Agent; body: WorldBody | undefined }): JSX.Element {
  const cockpit = useCockpit();
  const state = createMemo(() => stateOf(props.agent, props.body));
  const isChosen = (): boolean => props.agent.name === cockpit.place().agent;
  return (
    <tr data-roster={props.agent.name} data-chosen={isChosen() ? "" : undefined} data-trouble={state().level === "bad" ? "" : undefined}>
      <th scope="row">
        <button
          type="button"
          class="as-link"
          aria-pressed={isChosen()}
          onClick={() => { cockpit.go({ agent: isChosen() ? "" : props.agent.name, turn: undefined }, { replace: true }); }}
        >
          {props.agent.name}
        </button>
      </th>
      <td class="dim">{props.agent.role}</td>
      <td class="mono clip" title={props.agent.reason}>{props.agent.lastAction}</td>
      <td class={`clip ${state().level}`} title={state().text}>{state().text}</td>
    </tr>
  );
}

/** More about the chosen agent. */
function Chosen(props: { agent: Agent; body: WorldBody | undefined }): JSX.Element {
  const cockpit = useCockpit();
  return (
    <div class="boxed chosen-agent" data-chosen-agent={props.agent.name}>
      <p>
        <strong>{props.agent.name}</strong> <span class="dim">{props.agent.role}</span>{" "}
        <span class="mono">{props.agent.lastAction}</span> <span class="dim">{props.agent.lastResult}</span>
      </p>
      <Show when={props.agent.reason !== ""}>
        <p class="reason">{props.agent.reason}</p>
      </Show>
      <p class="dim">
        {[props.agent.summary, props.body?.detail ?? "", carriedText(props.body)].filter((text) => text !== "").join(" · ")}
      </p>
      <a href={`#${placeText({ ...cockpit.place(), view: "agents", turn: undefined })}`}>Explain, steer, inspect</a>
    </div>
  );
}

function carriedText(body: WorldBody | undefined): string {
  return body === undefined || body.carried.length === 0 ? "" : `carries ${body.carried.map((thing) => thing.what).join(", ")}`;
}

/** The last events of note, the newest first; repetitions are one line. */
function newest(lines: readonly Entry[]): { entry: Entry; times: number }[] {
  const found: { entry: Entry; times: number }[] = [];
  for (let at = lines.length - 1; at >= 0 && found.length < SHOWN; at -= 1) {
    const entry = lines[at];
    if (entry === undefined || entry.level === "debug" || entry.topic === "board") continue;
    const last = found.at(-1);
    if (last?.entry.text === entry.text && last.entry.topic === entry.topic) last.times += 1;
    else found.push({ entry, times: 1 });
  }
  return found;
}

function NewestEvents(): JSX.Element {
  const cockpit = useCockpit();
  const lines = createMemo(on(cockpit.version, () => newest(cockpit.history.lines)));
  return (
    <section class="card newest" aria-labelledby="newest">
      <h2 id="newest">
        <a href={`#${placeText({ ...cockpit.place(), view: "events", agent: "", turn: undefined })}`}>Events</a>
      </h2>
      <ol class="plain newest-rows" tabIndex={0} aria-label="Newest events">
        <Index each={lines()} fallback={<li class="dim">No event in the turns that this page has seen.</li>}>
          {(line) => (
            <li class="newest-event" data-level={line().entry.level}>
              <span class="dim">{line().entry.round === undefined ? "–" : momentText({ round: line().entry.round ?? 0, step: line().entry.step ?? 0 })}</span>
              <span class="event-text">
                <Show when={line().entry.agent !== ""}><span class="dim">{line().entry.agent} </span></Show>
                {line().entry.text}
                <Show when={line().times > 1}><span class="dim"> ×{line().times}</span></Show>
              </span>
            </li>
          )}
        </Index>
      </ol>
    </section>
  );
}

/** The worst outcome of a turn. */
function worst(turn: TurnRecord): string {
  const ranks = [...turn.parts.values()].map(({ outcome }) => OUTCOMES.indexOf(outcome));
  return OUTCOMES[Math.max(0, ...ranks)] ?? "decided";
}

/** One thin line that says whether every answer was in time; it grows when one was not. */
function Pulse(): JSX.Element {
  const cockpit = useCockpit();
  const turns = createMemo(on(cockpit.version, () => cockpit.history.turns.slice(-PULSE)));
  const found = createMemo(() => counts(turns()));
  const bad = (): number => turns().reduce((sum, turn) => sum + [...turn.parts.values()].filter(isBad).length, 0);
  const text = (): string => {
    const all = Object.values(found()).reduce((sum, count) => sum + count, 0);
    if (all === 0) return "No answer yet";
    if (bad() === 0) return `All ${all} answers of the last ${turns().length} turns were in time`;
    return `${found().late} late and ${found().fallback} fallback of ${all} answers in the last ${turns().length} turns`;
  };
  return (
    <a class="pulse" data-bad={bad() > 0 ? "" : undefined} href={`#${placeText({ ...cockpit.place(), view: "punctuality", turn: undefined })}`}>
      <span class="lamp" aria-hidden="true" />
      <span class="pulse-text">{text()}</span>
      <svg viewBox={`0 0 ${PULSE} 10`} preserveAspectRatio="none" aria-hidden="true">
        <Index each={turns()}>
          {(turn, at) => <rect x={PULSE - turns().length + at} y="0" width="0.8" height="10" class="pulse-turn" data-outcome={worst(turn())} />}
        </Index>
      </svg>
    </a>
  );
}
