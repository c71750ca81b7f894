/** Who did how against whom, as a square. */

/** Games of one strategy against another one. */
export interface Games {
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
}

/** The games between two rows, as the daemon sends them. */
export interface Pair {
  readonly row: number;
  readonly against: number;
  readonly wins: bigint;
  readonly draws: bigint;
  readonly losses: bigint;
}

/** The games of each row against each column; undefined where both did not meet. */
export function matrix(rows: number, pairs: readonly Pair[]): (Games | undefined)[][] {
  const cells = Array.from({ length: rows }, () => new Array<Games | undefined>(rows).fill(undefined));
  for (const { row, against, wins, draws, losses } of pairs) {
    const [won, drawn, lost] = [Number(wins), Number(draws), Number(losses)];
    const [own, other] = [cells[row], cells[against]];
    if (own === undefined || other === undefined) continue;
    own[against] = { won, drawn, lost };
    other[row] = { won: lost, drawn, lost: won };
  }
  return cells;
}

/** Share of the points: 1 for a win, ½ for a draw. */
export function share({ won, drawn, lost }: Games): number {
  const games = won + drawn + lost;
  return games === 0 ? 0.5 : (won + drawn / 2) / games;
}

/** How strongly a cell is coloured, -1 (lost everything) to 1 (won everything); few games count less. */
export function lean(games: Games): number {
  const count = games.won + games.drawn + games.lost;
  return (share(games) - 0.5) * 2 * (count / (count + 4));
}
