import { availableParallelism, cpus, totalmem } from 'node:os';

/** Where, when and how something was measured. */
export interface Circumstances {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** `2026-11-21` */
  readonly date: string;
  readonly command: string;
  readonly rounds: number;
}

export function circumstances(command: string, rounds: number): Circumstances {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    command,
    rounds,
  };
}

/** The same as one line. */
export function circumstancesLine(given: Circumstances): string {
  const { cores, processor, memoryGiB, platform, node, date, command, rounds } = given;
  return (
    `${cores} cores, ${processor}, ${memoryGiB} GiB, ${platform}, Node ${node}, ${date}, \`${command}\`: ` +
    `${rounds} interleaved rounds; medians, in brackets (largest - smallest) / median. ` +
    'Load, server and what it asks share the cores.'
  );
}
