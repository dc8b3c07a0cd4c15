// What the benches of the demo share: flags of a server that does nothing else, samples of contenders, and the report.
import { circumstances, interleaved, report, table } from '@ticketing/bench-kit';

/** Flags of a server that only answers: no documents of its own, no view for operators, no bound. */
export const BARE_FLAGS: readonly string[] = [
  ...['--port', '0', '--worms', '0', '--operator', 'off', '--max-in-flight', 'off'],
];

/** Measures each contender once per round, in interleaved rounds, and returns its samples without warm-ups. */
export async function samplesOf<Contender, Sample>(
  contenders: readonly Contender[],
  measure: (contender: Contender) => Promise<Sample>,
  length: { readonly rounds: number; readonly warmUps: number },
): Promise<readonly (readonly Sample[])[]> {
  const samples = contenders.map((): Sample[] => []);
  for (const { item, place, round } of interleaved(contenders, length)) {
    const sample = await measure(item);
    if (round >= 0) samples[place]?.push(sample);
  }
  return samples;
}

/** A table, and what is said below it. */
interface DemoReport {
  /** Of package.json: `bench:floor`. */
  readonly script: string;
  /** Marks in the file. Default `bench`. */
  readonly marks?: string;
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[];
  /** Sentences before and after the machine, the day and the rounds. */
  readonly before: string;
  readonly after: string;
}

/** Prints a report and, unless the flags say `quick`, writes it into docs/measurements/demo-server.md. */
export function reportDemo(
  flags: { readonly quick: boolean; readonly rounds: number; readonly seconds?: number },
  { script, marks = 'bench', rows, before, after }: DemoReport,
): void {
  const made = circumstances(`pnpm --filter demo-server ${script}`, flags);
  report(
    new URL('../../../docs/measurements/demo-server.md', import.meta.url),
    [...table(rows), '', [before, made, after].filter((text) => text !== '').join(' ')],
    { quick: flags.quick, marks },
  );
}
