import { expect, test } from "vitest";
import { buckets, secondsText, since } from "./figures";

const NAME = "phalanx_deadline_margin_seconds";
const TEXT = `# HELP ${NAME} Time left.
${NAME}_bucket{team="A",le="0.1"} 1
${NAME}_bucket{team="A",le="1"} 4
${NAME}_bucket{team="A",le="+Inf"} 4
${NAME}_bucket{team="say \\"}\\"",le="+Inf"} 7
${NAME}_sum{team="A"} 2.5
`;

test("buckets are counted alone, for one team", () => {
  expect(buckets(TEXT, NAME, "A")).toEqual([
    { below: 0.1, count: 1 },
    { below: 1, count: 3 },
    { below: Infinity, count: 0 },
  ]);
});

test("names with quotes and braces are names", () => {
  expect(buckets(TEXT, NAME, 'say "}"')).toEqual([{ below: Infinity, count: 7 }]);
  expect(buckets(TEXT, NAME, "B")).toEqual([]);
});

test("between two looks only what is new counts, and after a restart everything", () => {
  const at = (count: number): { below: number; count: number }[] => [{ below: 1, count }];
  expect(since(at(3), at(8))).toEqual(at(5));
  expect(since(at(8), at(3))).toEqual(at(3));
});

test("seconds have the unit that fits", () => {
  expect([0.00002, 0.025, 1.5, Infinity].map(secondsText)).toEqual(["20 µs", "25 ms", "1.5 s", "∞"]);
});
