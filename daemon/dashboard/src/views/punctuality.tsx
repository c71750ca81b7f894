/** Whether every answer was in time, by turn and by agent. */
import { createSignal, Index, onCleanup, Show, type JSX } from "solid-js";
import { SeatState, TeamState, type Team } from "../gen/phalanx/v1/team_pb";
import { tab } from "../live/outside";
import { poll } from "../live/poll";
import { buckets, secondsText, since, type Bucket } from "../match/figures";
import { figure, scoreText, shortIds } from "../match/names";
import { teamStateText, word } from "../match/words";
import { shortName, useCockpit } from "../state/cockpit";
import { HeatStrip } from "../ui/heat-strip";

/** The histogram in the daemon's metrics. */
const MARGIN = "phalanx_deadline_margin_seconds";
const FIGURES_EVERY = 3_000;

/** Heat strip, margins, seats, and all teams. */
export function PunctualityView(): JSX.Element {
  return (
    <div class="punctuality">
      <section class="card wide" aria-labelledby="heat">
        <h2 id="heat">Turns</h2>
        <HeatStrip />
      </section>
      <MarginCard />
      <SeatsCard />
      <TeamsCard />
    </div>
  );
}

function MarginCard(): JSX.Element {
  const cockpit = useCockpit();
  const [rows, setRows] = createSignal<readonly Bucket[]>([]);
  let first: readonly Bucket[] | undefined;
  const ask = async (signal: AbortSignal): Promise<void> => {
    try {
      // The view is created again for each team.
      const now = buckets(await cockpit.api.metrics(signal), MARGIN, cockpit.name());
      // Count from the time at which the page was opened.
      const fresh = first === undefined ? now : since(first, now);
      first ??= now;
      setRows(fresh.some((bucket) => bucket.count > 0) ? fresh : now);
    } catch {
      // The badge reports lost connections; the old figures stay.
    }
  };
  onCleanup(poll(FIGURES_EVERY, ask, tab).stop);
  const most = (): number => Math.max(1, ...rows().map((bucket) => bucket.count));
  return (
    <section class="card" aria-labelledby="margin">
      <h2 id="margin">Time left at the answer</h2>
      <Show
        when={rows().some((bucket) => bucket.count > 0)}
        fallback={<p class="empty">No answer has been measured yet, or your token may not read the metrics.</p>}
      >
        <table class="bars">
          <caption class="hidden-label">Answers by the time that was left</caption>
          <tbody>
            <Index each={rows()}>
              {(bucket) => (
                <tr data-tight={bucket().below <= 0.1 && bucket().count > 0 ? "" : undefined}>
                  <th scope="row">{boundText(bucket().below)}</th>
                  <td>
                    <meter min={0} max={most()} value={bucket().count} aria-label={`${figure(bucket().count)} answers`} />
                  </td>
                  <td class="number">{figure(bucket().count)}</td>
                </tr>
              )}
            </Index>
          </tbody>
        </table>
      </Show>
    </section>
  );
}

/** The range of a bucket: up to its bound; none left; or more than all bounds. */
function boundText(below: number): string {
  if (below === 0) return "none";
  return below === Infinity ? "more" : `≤ ${secondsText(below)}`;
}

/** All seats with their state. */
export function SeatsCard(): JSX.Element {
  const cockpit = useCockpit();
  return (
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">Seats</h2>
      <ul class="seats">
        <Index each={cockpit.team()?.agents}>
          {(agent) => (
            <li>
              <button
                type="button"
                class="seat"
                data-state={word(SeatState, agent().seatState)}
                title={`${agent().role}, ${word(SeatState, agent().seatState)}${agent().seatReason === "" ? "" : `: ${agent().seatReason}`}`}
                onClick={() => {
                  cockpit.go({ view: "agents", agent: agent().name, turn: undefined });
                }}
              >
                <span class="lamp" aria-hidden="true" />
                {shortIds(agent().name)}
                <span class="dim"> {agent().role}</span>
                <span class="hidden-label">, {word(SeatState, agent().seatState)}</span>
              </button>
            </li>
          )}
        </Index>
      </ul>
    </section>
  );
}

function TeamsCard(): JSX.Element {
  const cockpit = useCockpit();
  return (
    <section class="card wide" aria-labelledby="teams">
      <h2 id="teams">Teams of this daemon</h2>
      <div class="scroll">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Team</th>
              <th scope="col">Game</th>
              <th scope="col">State</th>
              <th scope="col">Turn</th>
              <th scope="col" class="number">Score</th>
              <th scope="col" class="number">Seats</th>
              <th scope="col" class="number">Generation</th>
              <th scope="col" class="number">Decided</th>
              <th scope="col" class="number">Fallback</th>
              <th scope="col" class="number">Late</th>
              <th scope="col" class="number">Alerts</th>
            </tr>
          </thead>
          <tbody>
            <Index each={cockpit.teams()}>{(team) => <TeamRow team={team()} />}</Index>
          </tbody>
        </table>
      </div>
    </section>
  );
}

function TeamRow(props: { team: Team }): JSX.Element {
  const cockpit = useCockpit();
  const name = (): string => shortName(props.team.name);
  return (
    <tr data-team={name()} data-chosen={name() === cockpit.place().team ? "" : undefined}>
      <th scope="row">
        <button
          type="button"
          class="as-link"
          onClick={() => {
            cockpit.go({ team: name(), agent: "", turn: undefined });
          }}
        >
          {name()}
        </button>
      </th>
      <td>{props.team.game}</td>
      <td>
        <span class="state" data-state={word(TeamState, props.team.state)}>
          {teamStateText(props.team.state, props.team.end)}
        </span>
      </td>
      <td>{props.team.turn === undefined ? "–" : `${props.team.turn.round}:${props.team.turn.step}`}</td>
      <td class="number">{scoreText(props.team.score)}</td>
      <td class="number">
        {props.team.seatedCount}/{props.team.agentCount}
      </td>
      <td class="number">{props.team.generation}</td>
      <td class="number">{figure(Number(props.team.counters?.decided ?? 0n))}</td>
      <td class="number" data-bad={(props.team.counters?.fallback ?? 0n) > 0n ? "warn" : undefined}>
        {figure(Number(props.team.counters?.fallback ?? 0n))}
      </td>
      <td class="number" data-bad={(props.team.counters?.late ?? 0n) > 0n ? "error" : undefined}>
        {figure(Number(props.team.counters?.late ?? 0n))}
      </td>
      <td class="number" data-bad={props.team.alerts.length > 0 ? "error" : undefined}>
        {props.team.alerts.length}
      </td>
    </tr>
  );
}
