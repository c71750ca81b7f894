/** How much of something is done. */
import type { JSX } from "solid-js";

/** A bar with a name for screen readers; the figures are beside it. */
export function Progress(props: { label: string; done: number; of: number }): JSX.Element {
  return <progress class="progress" aria-label={props.label} value={Math.min(props.done, props.of)} max={Math.max(1, props.of)} />;
}
