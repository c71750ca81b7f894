/** Points and boxes on the map, in map units: a cell is one unit, x grows to the right, y downwards. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}
