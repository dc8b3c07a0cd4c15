import type { LeftOut } from './left-out.ts';
import type { FeedFiles } from './open-zip.ts';

/** One reading of a feed. */
export interface Reading {
  readonly files: FeedFiles;
  readonly leftOut: LeftOut;
  readonly signal: AbortSignal | undefined;
}
