/** What a program tells the bench when it is ready. */
export interface Told {
  readonly port: number;
  /** Of the processes that stand between clients and workers. */
  readonly masters: readonly number[];
  readonly workers: readonly number[];
}

/** Tells the bench that started this process; ends with it. */
export function tell(told: Told): void {
  process.send?.(told);
  process.on('disconnect', () => process.exit());
}
