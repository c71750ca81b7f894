/** The map of the match. */
import type { JSX } from "solid-js";
import type { Side } from "../state/sides";
import { LiveMap } from "./map";

/** What the team in focus believes. */
export function MatchMap(props: { side: Side }): JSX.Element {
  return <LiveMap worlds={props.side.worlds()} compact />;
}
