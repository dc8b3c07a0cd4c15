/** Report of a program that is ready for the bench. */
export interface ReadyProgram {
  readonly port: number;
  /** Processes between clients and workers. */
  readonly fronts: readonly number[];
  readonly workers: readonly number[];
}

/** Reports to the bench that started this process, and ends the process with it. */
export function reportReady(program: ReadyProgram): void {
  process.send?.(program);
  process.on('disconnect', () => process.exit());
}
