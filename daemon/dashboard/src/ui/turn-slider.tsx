/** A bar from the first turn to the last one. */
import { createEffect, type JSX } from "solid-js";

/** Moves through turns that grow in number. */
export function TurnSlider(props: {
  label: string;
  last: number;
  at: number;
  /** The turn that is shown, for those who hear it. */
  text: string;
  onMove: (to: number) => void;
  /** It was let go. */
  onRest?: () => void;
}): JSX.Element {
  let bar: HTMLInputElement | undefined;
  // The value comes after the end of the bar: beyond the old end it would be cut.
  createEffect(() => {
    if (bar === undefined) return;
    bar.max = `${props.last}`;
    bar.value = `${props.at}`;
  });
  return (
    <label>
      <span class="hidden-label">{props.label}</span>
      <input
        ref={(it) => {
          bar = it;
        }}
        type="range"
        min={0}
        aria-valuetext={props.text}
        onInput={(event) => {
          props.onMove(event.currentTarget.valueAsNumber);
        }}
        onChange={() => { props.onRest?.(); }}
      />
    </label>
  );
}
