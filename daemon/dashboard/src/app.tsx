/** The frame around all views. */
import { createEffect, createMemo, ErrorBoundary, For, Index, lazy, Match, on, Show, Suspense, Switch, type JSX } from "solid-js";
import { Role } from "./gen/phalanx/v1/access_pb";
import { scoreText } from "./match/names";
import { teamStateText, word } from "./match/words";
import { CockpitContext, createCockpit, shortName, useCockpit } from "./state/cockpit";
import { placeText, TEAMLESS, VIEWS, type Place, type View } from "./state/place";
import { createTheme, ThemeContext, useTheme } from "./state/theme";
import { LinkBadge } from "./ui/link-badge";
import { Login } from "./ui/login";
import { Notices } from "./ui/notices";
import { ResultBanner } from "./ui/result-banner";
import { AgentsView } from "./views/agents";
import { BoardView } from "./views/board";
import { EventsView } from "./views/events";
import { MapView } from "./views/map";
import { MatchView } from "./views/match";
import { PunctualityView } from "./views/punctuality";
import { TimelineView } from "./views/timeline";

// The editor is by far the largest part, so it loads when its view opens.
const StrategyView = lazy(() => import("./views/strategy"));
const RecordingsView = lazy(() => import("./views/recordings"));
const LabView = lazy(() => import("./views/lab"));

const TITLES: Readonly<Record<View, string>> = {
  match: "Match",
  map: "Map",
  agents: "Agents",
  board: "Board",
  strategy: "Strategy",
  timeline: "Timeline",
  events: "Events",
  punctuality: "Punctuality",
  recordings: "Recordings",
  lab: "Lab",
};

/** The page. */
export function App(): JSX.Element {
  const cockpit = createCockpit();
  const theme = createTheme();
  createEffect(() => {
    const { team, view } = cockpit.place();
    document.title = team === "" ? `${TITLES[view]} · Phalanx` : `${team} · ${TITLES[view]} · Phalanx`;
  });
  return (
    <CockpitContext.Provider value={cockpit}>
      <ThemeContext.Provider value={theme}>
        <a class="skip" href="#main" onClick={skip}>
          Skip to the view
        </a>
        <Header />
        <Menu />
        <main id="main" tabIndex={-1}>
          <h1 class="hidden-label">
            {cockpit.place().team} {TITLES[cockpit.place().view]}
          </h1>
          <ResultBanner />
          <Show when={cockpit.name() || (TEAMLESS.includes(cockpit.place().view) ? "no team" : "")} keyed fallback={<NoTeam />}>
            <ErrorBoundary fallback={(error: unknown, again) => <Broken error={error} again={again} />}>
              <CurrentView />
            </ErrorBoundary>
          </Show>
        </main>
        <Login />
        <Notices />
      </ThemeContext.Provider>
    </CockpitContext.Provider>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Header(): JSX.Element {
  const cockpit = useCockpit();
  const theme = useTheme();
  return (
    <header class="top">
      <span class="brand">Phalanx</span>
      <label class="choose" hidden={cockpit.teams().length === 0}>
        <span class="hidden-label">Team</span>
        <select
          value={cockpit.place().team}
          onChange={(event) => {
            cockpit.go({ team: event.currentTarget.value, agent: "", turn: undefined });
          }}
        >
          <Index each={cockpit.teams()}>
            {(team) => (
              <option value={shortName(team().name)} selected={shortName(team().name) === cockpit.place().team}>
                {shortName(team().name)} · {team().game}
              </option>
            )}
          </Index>
        </select>
      </label>
      <Show when={cockpit.team()}>
        {(team) => (
          <dl class="facts" aria-label="The team now">
            <Fact name="State" value={teamStateText(team().state, team().end)} />
            <Fact name="Turn" value={turnText(cockpit.progress().turn)} />
            <Fact name="Score" value={scoreText(cockpit.progress().score)} />
            <Fact name="Seats" value={`${team().seatedCount}/${team().agentCount}`} />
            <Fact name="Generation" value={`${team().generation}`} />
          </dl>
        )}
      </Show>
      <span class="grow" />
      <Show when={cockpit.role() !== Role.UNSPECIFIED}>
        <button type="button" class="quiet who" title={`${cockpit.who()}; enter another token`} aria-haspopup="dialog" onClick={() => { cockpit.ask(true); }}>
          {word(Role, cockpit.role())}
        </button>
      </Show>
      <LinkBadge />
      <button type="button" class="quiet" onClick={theme.next} aria-label={`Colours: ${theme.name()}; change`}>
        {theme.dark() ? "☾" : "☀"}
      </button>
    </header>
  );
}

/** `3:120`: round and step. */
function turnText(turn: { round: number; step: number } | undefined): string {
  return turn === undefined ? "–" : `${turn.round}:${turn.step}`;
}

function Fact(props: { name: string; value: string }): JSX.Element {
  return (
    <div class="fact">
      <dt>{props.name}</dt>
      <dd data-fact={props.name.toLowerCase()}>{props.value}</dd>
    </div>
  );
}

function Menu(): JSX.Element {
  const cockpit = useCockpit();
  return (
    <nav class="menu" aria-label="Views">
      <For each={VIEWS}>
        {(view) => (
          <a
            href={`#${placeText({ ...cockpit.place(), ...beside(cockpit.place(), view) })}`}
            aria-current={cockpit.place().view === view ? "page" : undefined}
          >
            {TITLES[view]}
            <Show when={view === "match" && (cockpit.team()?.alerts.length ?? 0) > 0}>
              <span class="count" title="alerts">
                {cockpit.team()?.alerts.length}
              </span>
            </Show>
          </a>
        )}
      </For>
    </nav>
  );
}

/** Another view of the same agent; views without a team have none. */
function beside(place: Place, view: View): Partial<Place> {
  const other = view !== place.view && (TEAMLESS.includes(view) || TEAMLESS.includes(place.view));
  return { view, turn: undefined, agent: other ? "" : place.agent };
}

function CurrentView(): JSX.Element {
  const cockpit = useCockpit();
  const at = (view: View) => (): boolean => cockpit.place().view === view;
  return (
    <Suspense fallback={<p class="empty">The view is loading.</p>}>
      <Switch>
        <Match when={at("match")()}>
          <MatchView />
        </Match>
        <Match when={at("map")()}>
          <MapView />
        </Match>
        <Match when={at("agents")()}>
          <AgentsView />
        </Match>
        <Match when={at("board")()}>
          <BoardView />
        </Match>
        <Match when={at("strategy")()}>
          <StrategyView />
        </Match>
        <Match when={at("timeline")()}>
          <TimelineView />
        </Match>
        <Match when={at("events")()}>
          <EventsView />
        </Match>
        <Match when={at("punctuality")()}>
          <PunctualityView />
        </Match>
        <Match when={at("recordings")()}>
          <RecordingsView />
        </Match>
        <Match when={at("lab")()}>
          <LabView />
        </Match>
      </Switch>
    </Suspense>
  );
}

/** A view that failed, usually because the daemon was upgraded while the page stayed open. */
function Broken(props: { error: unknown; again: () => void }): JSX.Element {
  const cockpit = useCockpit();
  const view = createMemo(() => cockpit.place().view);
  // Another view may work: try again when the user opens one.
  createEffect(on(view, () => { props.again(); }, { defer: true }));
  return (
    <section class="card" role="alert">
      <h2>This view could not be shown</h2>
      <p class="warn">{props.error instanceof Error ? props.error.message : String(props.error)}</p>
      <p>If the daemon was upgraded, load the page again.</p>
      <button type="button" class="main" onClick={() => { location.reload(); }}>
        Load the page again
      </button>
    </section>
  );
}

function NoTeam(): JSX.Element {
  const cockpit = useCockpit();
  return (
    <p class="empty">
      {cockpit.link().kind === "live"
        ? "This daemon has no team yet. Create one with `phalanx team create`, and it appears here."
        : "Waiting for the daemon's first answer."}
    </p>
  );
}
