/** The daemon's metrics as numbers over time: counters as rates, histograms as means. */
import { labelsOf } from "../match/figures";
import type { About } from "./samples";

/** One number of the daemon, read at two times. */
export interface Reading extends About {
  /** The name with its labels: `actions (outcome late)`. */
  readonly name: string;
  readonly value: number;
}

/** A metric's rows. */
interface Metric {
  readonly type: string;
  readonly help: string;
  readonly rows: Map<string, number>;
}

/** All metrics of a text in Prometheus' format, by name. */
export type Metrics = ReadonlyMap<string, Metric>;

/** Units by the end of a metric's name. */
const UNITS: readonly (readonly [RegExp, string])[] = [[/_seconds$/, "s"], [/_bytes$/, "bytes"], [/_percent$/, "%"]];

/** Reads the text; buckets of histograms are left out. */
export function readMetrics(text: string): Metrics {
  const found = new Map<string, Metric>();
  let [type, help, family] = ["", "", ""];
  for (const line of text.split("\n")) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = "", rest = ""] = comment;
      if (name !== family) [type, help, family] = ["", "", name];
      if (kind === "TYPE") type = rest;
      else help = rest;
      continue;
    }
    const row = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    const [, name = "", labels = "", value = ""] = row ?? [];
    if (row === null || name.endsWith("_bucket") || !Number.isFinite(Number(value))) continue;
    const metric = found.get(name) ?? { type, help, rows: new Map<string, number>() };
    metric.rows.set(labels, Number(value));
    found.set(name, metric);
  }
  return found;
}

/** What changed in a team's metrics, and in those of the whole daemon, between two readings. */
export function readings(before: Metrics, now: Metrics, seconds: number, team: string): Reading[] {
  const found: Reading[] = [];
  for (const [name, { type, help, rows }] of now) {
    for (const [labels, value] of rows) {
      const known = labelsOf(labels);
      if (known.has("team") && known.get("team") !== team) continue;
      const past = before.get(name)?.rows.get(labels);
      const one = number(now, before, { name, labels, type, value, past, seconds });
      if (one === undefined) continue;
      known.delete("team");
      found.push({ ...one, doc: help, name: `${one.name}${labelText(known)}` });
    }
  }
  return found;
}

interface Row {
  readonly name: string;
  readonly labels: string;
  readonly type: string;
  readonly value: number;
  readonly past: number | undefined;
  readonly seconds: number;
}

/** A row as a number with its unit; undefined: there is none, or not yet. */
function number(now: Metrics, before: Metrics, { name, labels, type, value, past, seconds }: Row): { name: string; unit: string; value: number } | undefined {
  const unit = (base: string): string => UNITS.find(([end]) => end.test(base))?.[1] ?? "";
  if (type === "gauge") return { name: plainName(name), unit: unit(name), value };
  // A restarted daemon counts from zero again.
  if (past === undefined || value < past || seconds <= 0) return undefined;
  if (type === "counter") {
    const base = name.replace(/_total$/, "");
    return { name: plainName(base), unit: unit(base) === "" ? "a second" : `${unit(base)} a second`, value: (value - past) / seconds };
  }
  if (type !== "histogram" || !name.endsWith("_sum")) return undefined;
  const base = name.slice(0, -"_sum".length);
  const times = (now.get(`${base}_count`)?.rows.get(labels) ?? 0) - (before.get(`${base}_count`)?.rows.get(labels) ?? 0);
  if (times <= 0) return undefined;
  const mean = (value - past) / times;
  return unit(base) === "s" ? { name: `${plainName(base)}, mean`, unit: "ms", value: mean * 1_000 } : { name: `${plainName(base)}, mean`, unit: unit(base), value: mean };
}

/** `deadline margin` of `phalanx_deadline_margin_seconds`. */
function plainName(name: string): string {
  return name.replace(/^phalanx_/, "").replace(/_(seconds|bytes)$/, "").replaceAll("_", " ");
}

function labelText(labels: ReadonlyMap<string, string>): string {
  return labels.size === 0 ? "" : ` (${[...labels].map(([name, value]) => `${name} ${value}`).join(", ")})`;
}
