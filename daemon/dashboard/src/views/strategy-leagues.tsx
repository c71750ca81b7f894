/** What the leagues of this daemon say of the strategy. */
import { createMemo, createResource, For, Show, type JSX } from "solid-js";
import { faultOf } from "../api/fault";
import { LeagueState, type League, type LeagueRow } from "../gen/phalanx/v1/league_pb";
import { word } from "../match/words";
import { shortName, useCockpit } from "../state/cockpit";

/** A table for each league of the game; those in which the strategy plays come first. */
export function Leagues(props: { folder: string }): JSX.Element {
  const cockpit = useCockpit();
  const [listed, { refetch }] = createResource(async () => {
    try {
      const { leagues } = await cockpit.api.leagues.listLeagues({ pageSize: 1_000 });
      return { leagues, trouble: "" };
    } catch (error) {
      const { reason, text } = faultOf(error);
      return { leagues: [], trouble: reason === "NO_LEAGUES" ? "This daemon plays no leagues, since it has no state_dir." : text };
    }
  });
  // A strategy that came with the program has no folder; leagues call it `shipped`.
  const name = (): string => props.folder || "shipped";
  const own = (league: League): string[] => (league.plan?.players ?? []).filter(({ strategy }) => strategy === name()).map((player) => player.name);
  const shown = createMemo(() => {
    const fitting = (listed.latest?.leagues ?? []).filter((league) => league.plan?.game === cockpit.game());
    return fitting.sort((a, b) => Number(own(b).length > 0) - Number(own(a).length > 0));
  });
  return (
    <div class="leagues">
      <Show when={listed.latest !== undefined}>
        <For each={shown()} fallback={<Empty folder={props.folder} trouble={listed.latest?.trouble ?? ""} />}>
          {(league) => <Table league={league} own={own(league)} />}
        </For>
        <Show when={shown().length > 0 && shown().every((league) => own(league).length === 0)}>
          <p class="dim">None of them has played the folder of this strategy.</p>
        </Show>
      </Show>
      <button type="button" onClick={() => void refetch()}>
        Reload
      </button>
    </div>
  );
}

function Empty(props: { folder: string; trouble: string }): JSX.Element {
  const command = (): string => `phalanx league run --strategy ${props.folder || "mine"} --strategy shipped --seeds 1..20`;
  return (
    <div class="desk-empty" data-empty>
      <p>
        <strong>No league has played this game here yet.</strong> {props.trouble}
      </p>
      <p class="dim">A league plays many matches between two versions on virtual time, and says which one is better. This command plays one in a terminal:</p>
      <pre class="boxed" tabIndex={0}>{command()}</pre>
    </div>
  );
}

function Table(props: { league: League; own: readonly string[] }): JSX.Element {
  const standing = (): League["standing"] => props.league.standing;
  return (
    <section data-league={shortName(props.league.name)}>
      <h3>
        {shortName(props.league.name)}{" "}
        <span class="dim">
          {word(LeagueState, props.league.state)}, {standing()?.played.toString() ?? "0"} of {standing()?.total.toString() ?? "0"} matches
          {standing()?.failed === 0n || standing() === undefined ? "" : `, ${standing()?.failed.toString() ?? ""} failed`}
        </span>
      </h3>
      <Show when={props.league.trouble !== ""}>
        <p class="warn">{props.league.trouble}</p>
      </Show>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col" class="number">Elo</th>
            <th scope="col" class="number">Won, drawn, lost</th>
            <th scope="col" class="number">Mean score</th>
            <th scope="col" class="number">Against</th>
          </tr>
        </thead>
        <tbody>
          <For each={standing()?.rows ?? []} fallback={<tr><td colSpan={5} class="dim">No match is over yet.</td></tr>}>
            {(row) => <Player row={row} own={props.own.includes(row.player)} />}
          </For>
        </tbody>
      </table>
    </section>
  );
}

function Player(props: { row: LeagueRow; own: boolean }): JSX.Element {
  const round = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 1 });
  return (
    <tr data-chosen={props.own ? "" : undefined}>
      <th scope="row">
        {props.row.player}
        <Show when={props.own}>
          <span class="good"> this strategy</span>
        </Show>
      </th>
      <td class="number">
        {Math.round(props.row.elo)} ± {Math.round(props.row.error)}
      </td>
      <td class="number">
        {props.row.wins.toString()}, {props.row.draws.toString()}, {props.row.losses.toString()}
      </td>
      <td class="number">{round(props.row.scoreMean)}</td>
      <td class="number">{round(props.row.againstMean)}</td>
    </tr>
  );
}
