/** Times for which answers of carriers are kept. Plain data: workers get them by their environment. */
export interface KeepSettings {
  /** Milliseconds for which an answer is given as it is. */
  readonly freshMs: number;
  /** Milliseconds after them for which it is given while the carrier is asked again. */
  readonly staleMs: number;
}

/** Returns the times of a flag that may be `off`. */
export function timesOf(flag: KeepSettings | 'off'): KeepSettings | undefined {
  return flag === 'off' ? undefined : flag;
}
