import { expect, test } from "vitest";
import { parsePlace, placeText, type Place } from "./place";

test.each<Place>([
  { team: "A", view: "match", agent: "", turn: undefined },
  { team: "A b%", view: "agents", agent: "agent@7:x", turn: undefined },
  { team: "A", view: "agents", agent: "a@1", turn: { round: 2, step: 40 } },
  { team: "", view: "lab", agent: "ladder:club", turn: undefined },
  { team: "A", view: "timeline", agent: "", turn: { round: 0, step: 3 } },
])("the address of %o leads back to it", (place) => {
  expect(parsePlace(`#${placeText(place)}`)).toEqual(place);
});

test.each(["", "#", "#/", "#/%E0%A4%A", "#/A/nowhere/x@y:z"])("the address %s is no error", (hash) => {
  expect(parsePlace(hash).view).toBe("match");
});
