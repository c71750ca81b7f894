/** The table of a league. */
import { For, Show, type JSX } from "solid-js";
import { LeagueState, type League, type LeagueRow } from "../gen/phalanx/v1/league_pb";
import { word } from "../match/words";
import { shortName } from "../state/cockpit";

/** The state of a league and its table; `own` are the names of players to point out. */
export function LeagueTable(props: { league: League; own: readonly string[] }): JSX.Element {
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
