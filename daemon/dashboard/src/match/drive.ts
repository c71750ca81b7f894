/** Keys that give orders to an agent that the user drives. */

/** The meaning of a key. */
export interface KeyOrder {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  readonly label: string;
  /** As scripts write actions. */
  readonly order: string;
}

const arrows = (up: string, down: string, left: string, right: string): readonly KeyOrder[] => [
  { key: "ArrowUp", label: "↑", order: up },
  { key: "ArrowDown", label: "↓", order: down },
  { key: "ArrowLeft", label: "←", order: left },
  { key: "ArrowRight", label: "→", order: right },
];

/** The keys of a game; none if its agents do not move by direction. */
export function keysOf(game: string): readonly KeyOrder[] {
  switch (game) {
    case "assemble":
      return [
        ...arrows('move("n")', 'move("s")', 'move("w")', 'move("e")'),
        { key: "c", label: "c", order: 'rotate("cw")' },
        { key: "v", label: "v", order: 'rotate("ccw")' },
        { key: " ", label: "space", order: "skip" },
      ];
    case "bomberland":
      return [
        ...arrows('move("up")', 'move("down")', 'move("left")', 'move("right")'),
        { key: "b", label: "b", order: "bomb" },
        { key: " ", label: "space", order: "wait" },
      ];
    case "asimulator":
      return [
        { key: "ArrowUp", label: "↑", order: "move" },
        { key: "ArrowLeft", label: "←", order: "turn_left" },
        { key: "ArrowRight", label: "→", order: "turn_right" },
        { key: "g", label: "g", order: "grab" },
        { key: "n", label: "n", order: "neutralize" },
      ];
    case "mars":
      return [
        { key: "r", label: "r", order: "recharge" },
        { key: "p", label: "p", order: "probe" },
        { key: "s", label: "s", order: "survey" },
        { key: " ", label: "space", order: "skip" },
      ];
    case "colosseum":
      return arrows('turn("up")', 'turn("down")', 'turn("left")', 'turn("right")');
    default:
      return [];
  }
}
