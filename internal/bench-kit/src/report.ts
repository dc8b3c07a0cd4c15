import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { betweenMarks } from './marks.ts';

/** Where and when something is measured. Plain data. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** `2026-11-21` */
  readonly date: string;
}

/** This machine, today. */
export function machine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The machine, the day, the command and how long was measured: the first line of a report. */
export function circumstances(
  command: string,
  length: { readonly rounds: number; readonly sliceMs?: number; readonly seconds?: number },
): string {
  const { cores, processor, node, date } = machine();
  // Without the condition for sources it is what was built, which starts sooner and takes less memory.
  const built = process.execArgv.includes('--conditions=@ticketing/source') ? '' : ' (as built)';
  const { rounds, sliceMs, seconds } = length;
  const each = sliceMs === undefined ? '' : `, slices of ${sliceMs} ms`;
  return (
    `${cores} cores, ${processor}, Node ${node}, ${date}, \`${command}\`${built}: ` +
    `${rounds} interleaved rounds${seconds === undefined ? each : ` of ${seconds} s`}, medians.`
  );
}

/**
 * Prints a report, and unless it was but a look (`quick`) writes it between the marks of a file, `bench` unless named.
 *
 * @throws Error if the file has no marks
 */
export function report(
  file: URL,
  lines: readonly string[],
  { quick, marks = 'bench' }: { readonly quick: boolean; readonly marks?: string },
): void {
  process.stdout.write(`${lines.join('\n')}\n`);
  if (quick) return;
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, betweenMarks(text, { name: marks, lines }));
}
