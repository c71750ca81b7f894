/** A slider from the first turn to the last one. */
import { createEffect, type JSX } from "solid-js";

/** Moves through turns while their number grows. */
export function TurnSlider(props: {
  label: string;
  last: number;
  at: number;
  /** The turn that is shown, for screen readers. */
  text: string;
  onMove: (to: number) => void;
  /** The user released the slider. */
  onRest?: () => void;
}): JSX.Element {
  let bar: HTMLInputElement | undefined;
  // Set the value after the maximum: the browser clamps a value beyond the old maximum.
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
