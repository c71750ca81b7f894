/** Charts over time: uPlot in the page's colours. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show, type JSX } from "solid-js";
import UPlot, { type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../state/theme";

/** One series of a chart. */
export interface Plot {
  readonly name: string;
  /** A colour of the style sheet: `--accent`. */
  readonly colour: string;
  /** One value for each x; undefined: unknown. */
  readonly values: readonly (number | undefined)[];
  readonly dashed?: boolean;
}

/** A vertical line with its text. */
export interface ChartMark {
  readonly x: number;
  readonly colour: string;
}

/** Distances between two labels below the chart: an x is the index of a turn. */
const INCREMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Lines or bars over x. The caller gives the content as text in `label`. */
export function Chart(props: {
  label: string;
  xs: readonly number[];
  plots: readonly Plot[];
  marks?: readonly ChartMark[];
  height: number;
  /** Bars instead of lines. */
  bars?: boolean;
  /** An x as text, for the axis and the readout. */
  xText: (x: number) => string;
  /** A value as text, with its unit. */
  yText?: (y: number) => string;
  /** Called with the index of the x that is clicked. */
  pick?: (index: number) => void;
  /** The x that is highlighted. */
  chosen?: number | undefined;
}): JSX.Element {
  const theme = useTheme();
  const [under, setUnder] = createSignal<number>();
  const yText = (value: number | null | undefined): string =>
    value === undefined || value === null ? "–" : (props.yText?.(value) ?? value.toLocaleString("en"));
  let frame: HTMLDivElement | undefined;
  /** The colour of a name, in the present theme: a canvas knows no variables. */
  const ink = (name: string): string => {
    if (frame === undefined) return "gray";
    frame.style.color = `var(${name})`;
    const found = getComputedStyle(frame).color;
    frame.style.color = "";
    return found;
  };
  const axis = (font: string): UPlot.Axis => ({ font, stroke: () => ink("--dim"), grid: { stroke: () => ink("--rim"), width: 1 }, ticks: { show: false } });
  const seriesOf = ({ colour, dashed }: Plot): UPlot.Series => ({
    stroke: () => ink(colour),
    width: 2,
    points: { show: false },
    spanGaps: true,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    ...(props.bars === true && UPlot.paths.bars !== undefined ? { fill: () => ink(colour), width: 0, paths: UPlot.paths.bars({ size: [0.9, 14] }) } : {}),
  });
  const drawn = (): UPlot.AlignedData => [[...props.xs], ...props.plots.map((plot) => plot.values.map((value) => value ?? null))];
  const lines = (chart: UPlot): void => {
    const all = [...(props.marks ?? []), ...(props.chosen === undefined ? [] : [{ x: props.chosen, colour: "--ink" }])];
    for (const { x, colour } of all) {
      const at = Math.round(chart.valToPos(x, "x", true));
      if (at < chart.bbox.left || at > chart.bbox.left + chart.bbox.width) continue;
      chart.ctx.fillStyle = ink(colour);
      chart.ctx.globalAlpha = 0.55;
      chart.ctx.fillRect(at, chart.bbox.top, 1.5 * devicePixelRatio, chart.bbox.height);
      chart.ctx.globalAlpha = 1;
    }
  };
  const optionsFor = (width: number): Options => ({
    width,
    height: props.height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false, setScale: false }, y: false, points: { show: props.bars !== true } },
    padding: [8, 24, 0, 0],
    scales: { x: { time: false, range: (_, first, last) => (props.bars === true ? [first - 0.6, last + 0.6] : [first, Math.max(last, first + 1)]) }, y: { range: (_, least, most) => rangeOf(least, most, props.bars === true) } },
    axes: [
      { ...axis("11px system-ui, sans-serif"), size: 24, space: 70, incrs: INCREMENTS, grid: { show: false }, values: (_, at) => at.map((x) => props.xText(x)) },
      { ...axis("11px system-ui, sans-serif"), size: (_, labels: readonly string[] | null) => Math.max(46, 12 + 7 * Math.max(0, ...(labels ?? []).map((label) => label.length))), space: 26, values: (_, at) => at.map((y) => yText(Number(y.toPrecision(6)))) },
    ],
    series: [{}, ...props.plots.map(seriesOf)],
    hooks: { setCursor: [(chart) => setUnder(chart.cursor.idx ?? undefined)], draw: [lines] },
  });

  // New series need a new chart; new values do not.
  const names = createMemo(() => props.plots.map((plot) => plot.name).join("\n"));
  createEffect(
    on(names, (some) => {
      const box = frame;
      if (box === undefined || some === "") return;
      const chart = new UPlot(optionsFor(Math.max(80, box.clientWidth)), drawn(), box);
      const watch = new ResizeObserver(() => { chart.setSize({ width: Math.max(80, box.clientWidth), height: props.height }); });
      watch.observe(box);
      chart.over.addEventListener("click", () => {
        const at = chart.cursor.idx;
        if (at !== undefined && at !== null) props.pick?.(at);
      });
      createEffect(on([drawn, () => props.chosen, () => props.marks, theme.dark], ([data]) => { chart.setData(data); }));
      onCleanup(() => {
        watch.disconnect();
        chart.destroy();
      });
    }),
  );
  return (
    <div class="chart">
      <div class="chart-frame" role="img" aria-label={props.label} data-pick={props.pick === undefined ? undefined : ""} ref={(it) => { frame = it; }} />
      <p class="chart-foot">
        <For each={props.plots.length > 1 || under() !== undefined ? props.plots : []}>
          {(plot) => (
            <span class="legend-entry">
              <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" style={{ fill: `var(${plot.colour})` }} />
              </svg>
              {plot.name}
              <Show when={under()}>{(at) => <strong>{yText(plot.values[at()])}</strong>}</Show>
            </span>
          )}
        </For>
        <Show when={under()}>{(at) => <span class="dim">at {props.xText(props.xs[at()] ?? 0)}</span>}</Show>
      </p>
    </div>
  );
}

/** The y range with a margin; bars begin at zero, and a flat line is in the middle. */
export function rangeOf(least: number | null, most: number | null, fromZero: boolean): [number, number] {
  const [low, high] = [fromZero ? 0 : (least ?? 0), most ?? 1];
  if (low === high) return [low - 1, high + 1];
  return [low, high + (high - low) * 0.06];
}
