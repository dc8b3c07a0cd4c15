/** Bounds of what a feed may make this process hold and do. */
export interface FeedLimits {
  /** Bytes of all files that are read, unpacked. */
  readonly maxUnpackedBytes: number;
  /** Unpacked bytes of a file per packed byte, for files of more than 1 MiB. */
  readonly maxRatio: number;
  /** Stop times that are kept; each run of a frequency counts. */
  readonly maxStopTimes: number;
}
