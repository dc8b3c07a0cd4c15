import { type Machine, machine } from '@ticketing/bench-kit';

/** Where, when and how something was measured. */
export interface Circumstances extends Machine {
  readonly command: string;
  readonly rounds: number;
}

export function circumstances(command: string, rounds: number): Circumstances {
  return { ...machine(), command, rounds };
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
