/** A piece of work of one size, ready to be measured. */
export interface Prepared {
  /** Does the work once. */
  readonly work: () => unknown;
  /** Returns the memory that was taken since the work was prepared, in bytes. Default: not measured. */
  readonly bytes?: () => number;
  /** Frees what was prepared. Default: nothing. */
  readonly end?: () => unknown;
}

/** One way to do the work, at any size. */
export interface GrowthContender {
  readonly name: string;
  readonly prepare: (size: number) => Prepared | Promise<Prepared>;
}

/** Work that grows with the size of something. */
export interface Subject {
  readonly name: string;
  /** What the size counts: `journeys`. */
  readonly of: string;
  readonly sizes: readonly number[];
  /** Ours first, then peers. */
  readonly contenders: readonly GrowthContender[];
  /** Reason why it may grow faster than n log n. Default: it may not. */
  readonly reason?: string;
}
