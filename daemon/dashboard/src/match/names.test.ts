import { expect, test } from "vitest";
import { counted, millis, numberOf, rounded, shortIds } from "./names";

test("of an identifier people see the first 8 characters", () => {
  expect(shortIds("A-0b9cf3a1-1111-4222-8333-444455556666.mcap")).toBe("A-0b9cf3a1.mcap");
  expect(shortIds("agentA1 moved 3-4")).toBe("agentA1 moved 3-4");
});

test.each([
  ["agentA12", 0, "12"],
  ["unit-007", 3, "007"],
  ["A", 0, "A"],
  ["left hand", 1, "2"],
])("%s at place %i has the sign %s", (name, index, number) => {
  expect(numberOf(name, index)).toBe(number);
});

test.each([
  [1234.567, "1,235"],
  [13.654, "13.7"],
  [0.256, "0.26"],
  [-3, "-3"],
])("%f is shown as %s", (value, text) => {
  expect(rounded(value)).toBe(text);
});

test.each([
  [0, "0 ms"],
  [0.03, "<0.1 ms"],
  [0.43, "0.4 ms"],
  [7.87, "7.9 ms"],
  [9.97, "10 ms"],
  [14.53, "15 ms"],
  [1234.5, "1,235 ms"],
])("%f milliseconds are shown as %s", (value, text) => {
  expect(millis(value)).toBe(text);
});

test("one thing has no plural", () => {
  expect([counted(1, "turn"), counted(2, "turn"), counted(0, "entry", "entries")]).toEqual(["1 turn", "2 turns", "0 entries"]);
});
