import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';

/** What a bench is asked on its command line. */
export interface BenchFlags {
  readonly rounds: number;
  readonly sliceMs: number;
  /** A look: few, short rounds that are printed, not written. */
  readonly quick: boolean;
}

/**
 * Reads `--rounds N`, `--slice-ms N` and `--quick`.
 *
 * @throws RangeError for anything but positive integers; TypeError for other flags
 */
export function benchFlags(defaults: {
  readonly rounds: number;
  readonly sliceMs: number;
}): BenchFlags {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      'slice-ms': { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  return {
    quick,
    rounds: positive('rounds', values.rounds, quick ? 2 : defaults.rounds),
    sliceMs: positive('slice-ms', values['slice-ms'], quick ? 25 : defaults.sliceMs),
  };
}

/** The machine, the day and the command: the first line of a report. */
export function circumstances(command: string, { rounds, sliceMs }: BenchFlags): string {
  // Without the condition for sources it is what was built, which starts sooner and takes less memory.
  const built = import.meta.resolve('@ticketing/dispatch').endsWith('.ts') ? '' : ' (as built)';
  return (
    `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`${command}\`${built}: ` +
    `${rounds} interleaved rounds, slices of ${sliceMs} ms, medians.`
  );
}

/**
 * Prints a report, and unless it was but a look writes it between the marks of a file.
 *
 * @throws Error if the file has no marks
 */
export function report(file: URL, lines: readonly string[], { quick }: BenchFlags): void {
  process.stdout.write(`${lines.join('\n')}\n`);
  if (quick) return;
  const text = readFileSync(file, 'utf8');
  const marks = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/;
  if (!marks.test(text)) {
    throw new Error(`Cannot write the report: marks in ${file.pathname} expected, got none`);
  }
  writeFileSync(
    file,
    text.replace(marks, (_all, open, close) => `${open}${lines.join('\n')}\n${close}`),
  );
}

function positive(name: string, given: string | undefined, fallback: number): number {
  const value = given === undefined ? fallback : Number(given);
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(`Cannot measure: ${name} must be a positive integer, got ${given}`);
}
