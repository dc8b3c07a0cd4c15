import { type Machine, machine } from '@ticketing/bench-kit';

/** Machine, date, command and rounds of a measurement. */
export interface Circumstances extends Machine {
  readonly command: string;
  readonly rounds: number;
}

export function circumstances(command: string, rounds: number): Circumstances {
  return { ...machine(), command, rounds };
}

/** Formats it as one line of Markdown. */
export function circumstancesLine(circumstances: Circumstances): string {
  const { cores, processor, memoryGiB, platform, node, date, command, rounds } = circumstances;
  return (
    `${cores} cores, ${processor}, ${memoryGiB} GiB, ${platform}, Node ${node}, ${date}, \`${command}\`: ` +
    `${rounds} interleaved rounds; medians, in brackets (largest - smallest) / median. ` +
    'Load, server and its upstream share the cores.'
  );
}
