import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WatchBoardResponseSchema, type WatchBoardResponse } from "../gen/phalanx/v1/boards_pb";
import { BoardModel } from "./board";
import { typedValue, valueText } from "./values";

function entry(key: string, value: string, etag: string): WatchBoardResponse {
  return create(WatchBoardResponseSchema, { news: { case: "entry", value: { name: `teams/A/board/${key}`, key, value: typedValue(value), etag } } });
}

const synced = create(WatchBoardResponseSchema, { news: { case: "synced", value: { entries: 0 } } });

test("old values are kept, and an entry that only ages is not one", () => {
  const board = new BoardModel();
  for (const news of [entry("b", "1", "x"), entry("a", '"text"', "y"), synced, entry("b", "1", "x"), entry("b", "2", "z")]) board.take(news);
  expect(board.entries().map(({ key, value }) => [key, valueText(value)])).toEqual([["a", '"text"'], ["b", "2"]]);
  expect(board.history("b").map(({ value }) => valueText(value))).toEqual(["1"]);
});

test("what is not told again after a lost stream is gone", () => {
  const board = new BoardModel();
  for (const news of [entry("a", "1", "x"), entry("b", "1", "x"), synced]) board.take(news);
  board.begin();
  board.take(entry("b", "1", "x"));
  expect(board.entries()).toHaveLength(2);
  board.take(synced);
  expect(board.entries().map(({ key }) => key)).toEqual(["b"]);
});

test.each([["3", "3"], ['{"a":[1]}', '{"a":[1]}'], ["plain words", '"plain words"'], ["true", "true"]])("typed %s means %s", (text, value) => {
  expect(valueText(typedValue(text))).toBe(value);
});
