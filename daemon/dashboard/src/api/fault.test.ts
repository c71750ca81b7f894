import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { errorInfo, faultOf } from "./fault";

test("the reason and its metadata are read from the error's details", () => {
  const pair = new BinaryWriter().tag(1, WireType.LengthDelimited).string("oldest").tag(2, WireType.LengthDelimited).string("e.7").finish();
  const info = new BinaryWriter().tag(1, WireType.LengthDelimited).string("CURSOR_EXPIRED").tag(2, WireType.LengthDelimited).string("phalanx").tag(3, WireType.LengthDelimited).bytes(pair).finish();
  expect(errorInfo(info)).toEqual({ reason: "CURSOR_EXPIRED", metadata: new Map([["oldest", "e.7"]]) });
});

test("bytes that are none of it are no reason", () => {
  expect(errorInfo(new Uint8Array([0xff, 0xff, 0xff])).reason).toBe("");
});

test.each(["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed"])("%s is said in words", (message) => {
  expect(faultOf(new TypeError(message)).text).toBe("The daemon does not answer");
});
