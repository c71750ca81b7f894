/** The score: as figures for the whole room, and as a race over time. */
import { createMemo, createSignal, Index, Show, type JSX } from "solid-js";
import type { Change } from "../match/changes";
import { stepText, type Clock, type Entrant } from "../match/contest";
import { isAfter, type Moment } from "../match/history";
import { figure, shortIds } from "../match/names";
import { race, raceMarks, raceText, roundRace, type Race } from "../match/series";
import { teamStateText } from "../match/words";
import { TeamState, type Team } from "../gen/phalanx/v1/team_pb";
import { shortName, useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";
import { COLOURS } from "../state/sides";
import { Chart } from "../ui/chart";

/** The colour of an entrant, by its place in the list. */
export function colourOf(at: number): string {
  return COLOURS[at % COLOURS.length] ?? "--dim";
}

/** Names and scores with the turn between them. */
export function Scoreboard(props: { contest: readonly Entrant[]; clock: Clock | undefined; turn: Moment | undefined }): JSX.Element {
  const cockpit = useCockpit();
  const teamOf = (name: string): Team | undefined => cockpit.teams().find((team) => shortName(team.name) === name);
  const share = (): number | undefined => {
    const { step, steps } = props.clock ?? { step: 0, steps: undefined };
    return steps === undefined ? undefined : Math.min(1, step / steps);
  };
  return (
    <section class="card scorebug" aria-label="Score" data-entrants={props.contest.length}>
      <ul class="scoreboard">
        <Index each={props.contest}>
          {(entrant, at) => <Score entrant={entrant()} colour={colourOf(at)} team={teamOf(entrant().name)} own={at === 0} />}
        </Index>
      </ul>
      <div class="clock">
        <strong>{stepText(props.turn)}</strong>
        <Show when={share() !== undefined}>
          <span class="dim">of {props.clock?.steps?.toLocaleString("en")}</span>
          <progress max="1" value={share()} aria-label="Steps of the round that are over" />
        </Show>
      </div>
    </section>
  );
}

function Score(props: { entrant: Entrant; colour: string; team: Team | undefined; own: boolean }): JSX.Element {
  const whole = (): number => props.entrant.rounds.reduce((sum, one) => sum + one, 0);
  const many = (): boolean => props.entrant.rounds.length > 0;
  const points = (): number | undefined => (many() ? whole() : props.entrant.score);
  const state = (): string => (props.team === undefined || props.team.state === TeamState.PLAYING ? "" : teamStateText(props.team.state, props.team.end));
  return (
    <li data-side={props.own ? "ours" : "theirs"} style={{ "--colour": `var(${props.colour})` }}>
      <Show when={props.team !== undefined} fallback={<span class="name" title={props.entrant.name}>{shortIds(props.entrant.name)}</span>}>
        <a class="name" title={props.entrant.name} href={`#${placeText({ team: props.entrant.name, view: "match", agent: "", turn: undefined })}`} aria-current={props.own ? "true" : undefined}>
          {shortIds(props.entrant.name)}
        </a>
      </Show>
      <strong class="figure">{points() === undefined ? "–" : figure(points() ?? 0)}</strong>
      <span class="dim note">
        {[many() && props.entrant.score !== undefined ? `this round ${figure(props.entrant.score)}` : "", state()].filter((text) => text !== "").join(" · ")}
      </span>
    </li>
  );
}

/** What is drawn into the race: who leads, what decides, what went wrong. */
function markColour({ kind, level, text }: Change): string | undefined {
  if (kind === "lead") return "--accent";
  if (kind === "score") return undefined;
  if (level === "error" || (level === "warning" && text.startsWith("alert "))) return "--bad";
  return /generation|strategy/.test(text) ? "--ink" : undefined;
}

/** All scores over the turns of this round, or over the rounds. */
export function RaceCard(props: { contest: readonly Entrant[]; changes: readonly Change[]; moment: Moment | undefined }): JSX.Element {
  const [chosen, setChosen] = createSignal<"round" | "match">();
  const manyRounds = createMemo(() => Math.max(0, ...props.contest.map(({ rounds }) => rounds.length)) > 1);
  const view = (): "round" | "match" => (manyRounds() ? (chosen() ?? "match") : "round");
  const lines = createMemo(() => props.contest.map((entrant, at) => ({ ...entrant, name: shortIds(entrant.name), colour: colourOf(at), dashed: at > 0 })));
  const shown = createMemo((): Race => {
    if (view() === "match") return roundRace(lines());
    const round = props.moment?.round ?? Math.max(-1, ...lines().map(({ turns }) => turns.at(-1)?.round ?? -1));
    // A new round starts at zero: older rounds are the other view.
    return race(lines().map((one) => ({ ...one, turns: one.turns.filter((turn) => turn.round === round) })));
  });
  const marks = createMemo(() => (view() === "match" ? [] : raceMarks(shown(), props.changes, markColour)));
  /** Where the turn of a recording is that is shown. */
  const at = createMemo((): number | undefined => {
    const { moment } = props;
    if (moment === undefined) return undefined;
    const found = view() === "match" ? moment.round : shown().turns.findLastIndex((turn) => !isAfter(turn, moment));
    return found < 0 ? undefined : found;
  });
  const xText = (at: number): string => {
    const turn = shown().turns[at];
    return turn === undefined ? "" : view() === "match" ? `${turn.round}` : `${turn.step}`;
  };
  return (
    <section class="card score-card" aria-labelledby="race">
      <div class="card-head">
        <h2 id="race">Race</h2>
        <Show when={manyRounds()}>
          <span class="switch" role="group" aria-label="What the race covers">
            <button type="button" aria-pressed={view() === "round"} onClick={() => setChosen("round")}>This round</button>
            <button type="button" aria-pressed={view() === "match"} onClick={() => setChosen("match")}>All rounds</button>
          </span>
        </Show>
      </div>
      <Show when={shown().turns.length > 1} fallback={<p class="empty">The line begins with the second score that is known.</p>}>
        <Chart
          label={view() === "match" ? raceText(shown(), "rounds") : raceText(shown())}
          xs={shown().turns.map((_, at) => at)}
          plots={shown().plots}
          marks={marks()}
          chosen={at()}
          xText={xText}
          xLabel={view() === "match" ? "round" : "step"}
          yLabel="score"
          yText={figure}
          whole
          ends
        />
      </Show>
    </section>
  );
}
