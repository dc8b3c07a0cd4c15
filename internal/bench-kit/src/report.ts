import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine and the day of a measurement. Plain data. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** Date such as `2026-11-21`. */
  readonly date: string;
}

/** Returns this machine, today. */
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

/** Returns the first line of a report: machine, day, command, rounds. */
export function circumstances(
  command: string,
  length: { readonly rounds: number; readonly sliceMs?: number; readonly seconds?: number },
): string {
  const { cores, processor, node, date } = machine();
  // Without the condition for sources the built files run, which start faster and take less memory.
  const built = process.execArgv.includes('--conditions=@ticketing/source') ? '' : ' (as built)';
  const { rounds, sliceMs, seconds } = length;
  const each = sliceMs === undefined ? '' : `, slices of ${sliceMs} ms`;
  return (
    `${cores} cores, ${processor}, Node ${node}, ${date}, \`${command}\`${built}: ` +
    `${rounds} interleaved rounds${seconds === undefined ? each : ` of ${seconds} s`}, medians.`
  );
}

/**
 * Prints a report and, unless `quick`, writes it between the marks of a file. Default marks: `bench`.
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

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. @throws Error if a mark is missing */
export function betweenMarks(
  text: string,
  { name, lines }: { readonly name: string; readonly lines: readonly string[] },
): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start < 0 || end < 0) {
    throw new Error(
      `Cannot write the report: the file must have the marks ${open.trim()} and ${close}`,
    );
  }
  return `${text.slice(0, start + open.length)}${lines.join('\n')}\n${text.slice(end)}`;
}
