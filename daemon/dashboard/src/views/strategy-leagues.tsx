/** What the leagues of this daemon say of the strategy. */
import { createMemo, createResource, For, Show, type JSX } from "solid-js";
import { faultOf } from "../api/fault";
import type { League } from "../gen/phalanx/v1/league_pb";
import { useCockpit } from "../state/cockpit";
import { LeagueTable } from "../ui/league-table";

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
          {(league) => <LeagueTable league={league} own={own(league)} />}
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
