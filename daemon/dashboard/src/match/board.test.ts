import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WatchBoardResponseSchema, type WatchBoardResponse } from "../gen/phalanx/v1/boards_pb";
import { BoardModel, GONE } from "./board";
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

test("an entry that the stream does not repeat after a reconnect is gone", () => {
  const board = new BoardModel();
  for (const news of [entry("a", "1", "x"), entry("b", "1", "x"), synced]) board.take(news);
  board.begin();
  board.take(entry("b", "1", "x"));
  expect(board.entries()).toHaveLength(2);
  board.take(synced);
  expect(board.entries().map(({ key }) => key)).toEqual(["b"]);
});

test("of keys that come and go only the last ones' old values are kept", () => {
  const board = new BoardModel();
  for (let at = 0; at < GONE * 3; at += 1) {
    board.take(entry(`k${at}`, "1", "x"));
    board.take(entry(`k${at}`, "2", "y"));
    board.take(create(WatchBoardResponseSchema, { news: { case: "deleted", value: `teams/A/board/k${at}` } }));
  }
  expect(board.entries()).toEqual([]);
  expect(board.history("k0")).toEqual([]);
  expect(board.history(`k${GONE * 2}`).map(({ value }) => valueText(value))).toEqual(["1", "2"]);
});

test("an old key that was written again is none that is gone", () => {
  const board = new BoardModel();
  board.take(entry("kept", "1", "x"));
  board.take(create(WatchBoardResponseSchema, { news: { case: "deleted", value: "teams/A/board/kept" } }));
  board.take(entry("kept", "2", "y"));
  for (let at = 0; at < GONE + 1; at += 1) {
    board.take(entry(`k${at}`, "1", "x"));
    board.take(create(WatchBoardResponseSchema, { news: { case: "deleted", value: `teams/A/board/k${at}` } }));
  }
  expect(board.history("kept")).toHaveLength(1);
});

test.each([["3", "3"], ['{"a":[1]}', '{"a":[1]}'], ["plain words", '"plain words"'], ["true", "true"]])("typed %s means %s", (text, value) => {
  expect(valueText(typedValue(text))).toBe(value);
});
