import type { Edge, Part } from '../system/system-model.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A part at its place. */
export interface Placed extends Rect {
  readonly part: Part;
  /** `half`: in rows of half height, which have no room for a meter. */
  readonly size: 'full' | 'half';
  /** Workers of a pool, each a cell; absent where they are a bar. */
  readonly cells?: readonly Placed[];
}

export interface PlacedEdge extends Edge {
  /** Path of the edge in SVG. */
  readonly d: string;
}

export interface Layout {
  readonly titles: readonly { readonly text: string; readonly x: number }[];
  readonly parts: readonly Placed[];
  readonly edges: readonly PlacedEdge[];
}

/** Point at which edges join that is no part. */
export interface Junction {
  readonly x: number;
  readonly y: number;
}
