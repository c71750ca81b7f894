/** Keys that give orders to an agent that the user drives, as its game declares them. */
import type { OrderKey } from "../gen/phalanx/v1/team_pb";

/** Signs of keys whose names are long. */
const SIGNS: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "space" };

/** The key as its button shows it. */
export function keyLabel({ key }: Pick<OrderKey, "key">): string {
  return SIGNS[key] ?? key;
}
