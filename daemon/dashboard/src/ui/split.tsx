/** Two panes with a border between them that can be moved. */
import { createSignal, type JSX } from "solid-js";

/** How far a key moves the border, and how much a pane keeps, in percent. */
const [STEP, LEAST] = [2, 20];

/** The first pane's share stays in the browser under `name`; narrow windows show one pane below the other. */
export function Split(props: {
  name: string;
  /** `x`: side by side. */
  axis: "x" | "y";
  /** What moves, for screen readers. */
  label: string;
  /** The first pane's share in percent, until it is moved. */
  share: number;
  first: JSX.Element;
  second: JSX.Element;
}): JSX.Element {
  const key = (): string => `phalanx.split.${props.name}`;
  const kept = Number(localStorage.getItem(key()) ?? Number.NaN);
  const [moved, setMoved] = createSignal(Number.isFinite(kept) && kept >= LEAST && kept <= 100 - LEAST ? kept : undefined);
  const share = (): number => moved() ?? props.share;
  let box: HTMLDivElement | undefined;
  const set = (to: number | undefined): void => {
    const next = to === undefined ? undefined : Math.round(Math.max(LEAST, Math.min(100 - LEAST, to)) * 10) / 10;
    setMoved(next);
    if (next === undefined) localStorage.removeItem(key());
    else localStorage.setItem(key(), `${next}`);
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { height, left, top, width } = box.getBoundingClientRect();
    set(props.axis === "x" ? ((event.clientX - left) / width) * 100 : ((event.clientY - top) / height) * 100);
  };
  const press = (event: KeyboardEvent): void => {
    const by: Record<string, number> = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP, Home: -100, End: 100 };
    const step = by[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(share() + step);
  };
  return (
    <div
      ref={(it) => {
        box = it;
      }}
      class="split"
      data-axis={props.axis}
      style={{ "--share": `${share()}fr`, "--rest": `${100 - share()}fr` }}
    >
      <div class="split-pane">{props.first}</div>
      <div
        class="split-border"
        role="separator"
        tabIndex={0}
        aria-label={props.label}
        aria-orientation={props.axis === "x" ? "vertical" : "horizontal"}
        aria-valuenow={Math.round(share())}
        aria-valuemin={LEAST}
        aria-valuemax={100 - LEAST}
        title={`${props.label}: drag, or use the arrow keys; a double click puts it back`}
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={drag}
        onDblClick={() => { set(undefined); }}
        onKeyDown={press}
      />
      <div class="split-pane">{props.second}</div>
    </div>
  );
}
