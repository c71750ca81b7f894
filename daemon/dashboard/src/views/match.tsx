/** The match: map, score, the team's work, its agents, and what changed last. */
import { createMemo, createSignal, on, Show, type JSX } from "solid-js";
import { newestChanges, scoreChanges } from "../match/changes";
import { clockOf, entrants, type Entrant } from "../match/contest";
import { followArena } from "../state/arena";
import { shortName, useCockpit } from "../state/cockpit";
import { followSides } from "../state/sides";
import { followTruth } from "../state/truth";
import { MatchBench } from "./match-bench";
import { MatchMap, type Layers } from "./match-map";
import { Scoreboard } from "./match-score";
import { Strip } from "./match-strip";
import type { PickedPlace } from "./match-work";

/** Changes in the list. */
const SHOWN = 60;

/** The landing view. */
export function MatchView(): JSX.Element {
  const cockpit = useCockpit();
  const sides = followSides();
  const hosted = followArena();
  const [focused, setFocused] = createSignal(cockpit.name());
  const side = createMemo(() => sides().find(({ name }) => name === focused()) ?? sides()[0]);
  const [inTruth, setInTruth] = createSignal(false);
  const [wanted, setWanted] = createSignal<boolean>();
  // The truth alone says little: unless the user wants otherwise, it comes with the differences.
  const compared = (): boolean => wanted() ?? inTruth();
  const [picked, setPicked] = createSignal<PickedPlace>();
  const truth = followTruth(() => hosted.arena()?.name ?? "", () => inTruth() || compared());
  const layers: Layers = { truth: inTruth, showTruth: setInTruth, compared, compare: setWanted, picked };
  const pick = (place: PickedPlace | undefined): void => {
    // The place is one of the team's own map.
    if (place !== undefined) setInTruth(false);
    setPicked(place);
  };
  const versions = createMemo(() => sides().map(({ version }) => version()).join() + `/${hosted.version()}`);
  const known = createMemo(
    on([versions, cockpit.teams, hosted.arena, sides], () =>
      sides().map((one) => {
        const team = cockpit.teams().find(({ name }) => shortName(name) === one.name);
        // Only an arena has to be asked who is who.
        const agents = hosted.arena() === undefined ? [] : (one.team()?.agents ?? []).map(({ name }) => name);
        return { name: one.name, agents, turns: one.history.turns, looked: team, roundScores: team?.roundScores ?? [] };
      }),
    ),
  );
  const contest = createMemo((): readonly Entrant[] => entrants(known(), hosted.arena(), hosted.verdicts));
  const scores = createMemo(() => scoreChanges(contest()));
  const changes = createMemo(
    on([scores, side, versions], ([points, one]) => newestChanges(points, one?.history.lines ?? [], sides().length > 1 ? (one?.name ?? "") : "", SHOWN)),
  );
  return (
    <Show when={side()}>
      {(one) => (
        <MatchBench
          bench={{
            get sides() { return sides(); },
            get side() { return one(); },
            focus: setFocused,
            get contest() { return contest(); },
            get changes() { return changes(); },
            get picked() { return picked(); },
            pick,
            get chosen() { return cockpit.place().agent; },
            choose: (agent) => { cockpit.go({ agent, turn: undefined }, { replace: true }); },
            moment: undefined,
            live: true,
          }}
          score={<Scoreboard contest={contest()} clock={clockOf((hosted.version(), hosted.verdicts.last))} turn={cockpit.progress().turn} />}
          strip={<Strip sides={sides()} />}
          map={() => <MatchMap sides={sides()} side={one()} focus={setFocused} hosted={hosted} truth={truth} layers={layers} />}
        />
      )}
    </Show>
  );
}
