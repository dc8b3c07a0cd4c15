import type { FillListener } from './worm-store.ts';

/** Filling that takes less is not worth a line. */
const WORTH_A_LINE = 100_000;
const WIDTH = 30;

/** Where people read. */
interface ReportStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows how far filling is: a bar that goes when it is done, on a terminal; and a line at the end if there was much to do. */
export function fillReport(
  stream: ReportStream,
  now: () => number = () => performance.now(),
): FillListener {
  const startedAt = now();
  return ({ filled, count }) => {
    if (stream.isTTY) {
      const done = Math.round((filled / count) * WIDTH);
      const bar = '█'.repeat(done) + '░'.repeat(WIDTH - done);
      const text = `worms  ${bar} ${inThousands(filled)} of ${inThousands(count)}`;
      // Carriage return, then erase to the end of the line.
      stream.write(`\r\u001b[K${filled < count ? text : ''}`);
    }
    if (filled === count && count > WORTH_A_LINE) {
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      stream.write(`Filled the store with ${inThousands(count)} worms in ${seconds} s\n`);
    }
  };
}

function inThousands(count: number): string {
  return count.toLocaleString('en-US');
}
