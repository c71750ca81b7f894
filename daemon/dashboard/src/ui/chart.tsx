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

/** A vertical line; its text is shown while the pointer is near. */
export interface ChartMark {
  readonly x: number;
  readonly colour: string;
  readonly text?: string;
}

/** Distances between two labels below the chart: an x is the index of a turn. */
const INCREMENTS = [1, 10, 100, 1e3, 1e4, 1e5].flatMap((power) => [power, 2 * power, 5 * power]);

/** Distances between two labels of whole numbers. */
const WHOLE = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].flatMap((power) => [power, 2 * power, 5 * power]);

/** Lines or bars over x. The caller gives the content as text in `label`. */
export function Chart(props: {
  label: string;
  xs: readonly number[];
  plots: readonly Plot[];
  marks?: readonly ChartMark[];
  /** In CSS pixels; without it, the chart fills its box. */
  height?: number;
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
  /** What the axes count: `step` and `points`. */
  xLabel?: string | undefined;
  yLabel?: string;
  /** Writes each series' name and last value at the end of its line, instead of a legend below. */
  ends?: boolean;
  /** Values are whole numbers, and so are the labels of the axis. */
  whole?: boolean;
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
  /** Letters grow with those around the chart, for rooms with a projector. */
  const letters = (): number => (frame === undefined ? 11 : Math.max(10, Math.round(Number.parseFloat(getComputedStyle(frame).fontSize) * 0.78)));
  const axis = (size: number, label: string | undefined): UPlot.Axis => ({ font: `${size}px system-ui, sans-serif`, ...(label === undefined ? {} : { label, labelFont: `${size}px system-ui, sans-serif`, labelSize: size + 4, labelGap: 0 }), stroke: () => ink("--dim"), grid: { stroke: () => ink("--rim"), width: 1 }, ticks: { show: false } });
  const seriesOf = ({ colour, dashed }: Plot): UPlot.Series => ({
    stroke: () => ink(colour),
    width: 2,
    points: { show: false },
    spanGaps: true,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    ...(props.bars === true && UPlot.paths.bars !== undefined ? { fill: () => ink(colour), width: 0, paths: UPlot.paths.bars({ size: [0.9, 14] }) } : {}),
  });
  /** Names and last values beside the ends of the lines, moved apart where they would touch. */
  const endings = (chart: UPlot): void => {
    const size = letters();
    const { ctx, bbox } = chart;
    const found = props.plots.flatMap(({ name, colour, values }) => {
      const at = values.findLastIndex((value) => value !== undefined);
      const last = values[at];
      return last === undefined ? [] : [{ text: props.plots.length > 1 ? `${name} ${yText(last)}` : yText(last), colour, x: chart.valToPos(props.xs[at] ?? 0, "x", true), y: chart.valToPos(last, "y", true) }];
    });
    const gap = size * 1.15 * devicePixelRatio;
    found.sort((a, b) => a.y - b.y);
    for (const [at, end] of found.entries()) {
      const above = found[at - 1];
      if (above !== undefined && end.y - above.y < gap) end.y = above.y + gap;
    }
    const below = (found.at(-1)?.y ?? 0) - (bbox.top + bbox.height);
    if (below > 0) for (const end of found) end.y -= below;
    ctx.save();
    ctx.font = `600 ${size * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { text, colour, x, y } of found) {
      ctx.fillStyle = ink(colour);
      ctx.fillText(text, x + 6 * devicePixelRatio, y);
    }
    ctx.restore();
  };
  /** Room that the longest text at a line's end needs. */
  const room = (): number => {
    if (props.ends !== true) return 24;
    const longest = Math.max(0, ...props.plots.map(({ name, values }) => (props.plots.length > 1 ? name.length + 1 : 0) + yText(values.findLast((value) => value !== undefined)).length));
    return Math.min(130, 14 + longest * letters() * 0.62);
  };
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
      const wide = 3.5 * devicePixelRatio;
      chart.ctx.beginPath();
      chart.ctx.moveTo(at - wide, chart.bbox.top);
      chart.ctx.lineTo(at + wide + devicePixelRatio, chart.bbox.top);
      chart.ctx.lineTo(at + devicePixelRatio / 2, chart.bbox.top + wide * 1.6);
      chart.ctx.fill();
    }
    if (props.ends === true) endings(chart);
  };
  /** What happened at the x under the pointer, or so near that a pointer does not hit it better. */
  const happened = createMemo((): string => {
    const at = under();
    if (at === undefined) return "";
    const near = Math.max(0.5, props.xs.length / 80);
    const texts = (props.marks ?? []).filter(({ x, text }) => text !== undefined && Math.abs(x - (props.xs[at] ?? 0)) <= near).map(({ text }) => text ?? "");
    return [...new Set(texts)].slice(0, 3).join(" · ");
  });
  const sizeIn = (box: HTMLElement): { width: number; height: number } => ({ width: Math.max(80, box.clientWidth), height: props.height ?? Math.max(50, box.clientHeight) });
  const optionsFor = (size: { width: number; height: number }): Options => ({
    ...size,
    legend: { show: false },
    cursor: { drag: { x: false, y: false, setScale: false }, y: false, points: { show: props.bars !== true } },
    padding: [8, () => room(), 0, 0],
    scales: { x: { time: false, range: (_, first, last) => (props.bars === true ? [first - 0.6, last + 0.6] : [first, Math.max(last, first + 1)]) }, y: { range: (_, least, most) => rangeOf(least, most, props.bars === true) } },
    axes: [
      { ...axis(letters(), props.xLabel), size: letters() + 13, space: 70, incrs: INCREMENTS, grid: { show: false }, values: (_, at) => at.map((x) => props.xText(x)) },
      { ...axis(letters(), props.yLabel), size: (_, labels: readonly string[] | null) => Math.max(props.yLabel === undefined ? 46 : 28, 12 + letters() * 0.63 * Math.max(0, ...(labels ?? []).map((label) => label.length))), space: 26, ...(props.whole === true ? { incrs: WHOLE } : {}), values: (_, at) => at.map((y) => yText(Number(y.toPrecision(6)))) },
    ],
    series: [{}, ...props.plots.map(seriesOf)],
    hooks: { setCursor: [(chart) => setUnder(chart.cursor.idx ?? undefined)], draw: [lines] },
  });

  // New series need a new chart; new values do not.
  const names = createMemo(() => [props.xLabel, props.yLabel, ...props.plots.map((plot) => plot.name)].join("\n"));
  createEffect(
    on(names, (some) => {
      const box = frame;
      if (box === undefined || some.trim() === "" || props.plots.length === 0) return;
      const chart = new UPlot(optionsFor(sizeIn(box)), drawn(), box);
      const size = (): void => { chart.setSize(sizeIn(box)); };
      const watch = new ResizeObserver(size);
      createEffect(on(() => props.height, size, { defer: true }));
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
    <div class="chart" data-fills={props.height === undefined ? "" : undefined}>
      <div class="chart-frame" role="img" aria-label={props.label} data-pick={props.pick === undefined ? undefined : ""} ref={(it) => { frame = it; }} />
      <p class="chart-foot">
        <For each={(props.plots.length > 1 && props.ends !== true) || under() !== undefined ? props.plots : []}>
          {(plot) => (
            <span class="legend-entry">
              <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" style={{ fill: `var(${plot.colour})` }} />
              </svg>
              {plot.name}
              <Show when={under() !== undefined}><strong>{yText(plot.values[under() ?? 0])}</strong></Show>
            </span>
          )}
        </For>
        <Show when={under() !== undefined}>
          <span class="dim">
            at {props.xText(props.xs[under() ?? 0] ?? 0)}
            {happened() === "" ? "" : `: ${happened()}`}
          </span>
        </Show>
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
