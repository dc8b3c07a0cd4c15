import { loadavg } from 'node:os';
import { type Machine, machine, three } from '@ticketing/bench-kit';

/** Machine, date, command and rounds of a measurement. */
export interface Circumstances extends Machine {
  readonly command: string;
  readonly rounds: number;
  /** Load averages of a minute before and after it: the first is that of other programs alone. */
  readonly loadAverages?: readonly [before: number, after: number];
}

/** Returns the load average of the last minute; 0 where the platform has none. */
export function loadAverage(): number {
  return loadavg()[0] ?? 0;
}

export function circumstances(
  command: string,
  { rounds, loadBefore }: { readonly rounds: number; readonly loadBefore: number },
): Circumstances {
  return { ...machine(), command, rounds, loadAverages: [loadBefore, loadAverage()] };
}

/** Formats the circumstances of interleaved rounds as one line of Markdown. */
export function circumstancesLine(circumstances: Circumstances): string {
  const { rounds } = circumstances;
  return machineLine(
    circumstances,
    `${rounds} interleaved rounds; medians, in brackets (largest - smallest) / median. Load, server and its upstream share the cores.`,
  );
}

/** Formats machine, date and command as one line of Markdown. */
export function machineLine(
  circumstances: Circumstances,
  way = 'load, server and its upstream share the cores.',
): string {
  const { cores, processor, memoryGiB, platform, node, date, command } = circumstances;
  const { loadAverages } = circumstances;
  return (
    `${cores} cores, ${processor}, ${memoryGiB} GiB, ${platform}, Node ${node}, ${date}, \`${command}\`: ${way}` +
    (loadAverages === undefined
      ? ''
      : ` Load average of the machine before it ${three(loadAverages[0])}, after it ${three(loadAverages[1])}.`)
  );
}
