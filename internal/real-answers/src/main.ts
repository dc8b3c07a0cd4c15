// Reads a folder of captured answers, `<wire>/*` with what was asked for in `<name>.query.json` or `query.json`, as the adapters
// do, and reports what was read, what was left out and why, and where that differs from the answer: `pnpm real-answers <folder>`.
// Fails if an answer was read wrongly or not at all.
import { openStations } from '@ticketing/stations';
import { CaptureError, readCaptures, WIRES } from './captures.ts';
import { compare, type Verdict } from './compare.ts';

const USAGE = 'usage: pnpm real-answers <folder>';

async function main(): Promise<number> {
  const [folder, ...others] = process.argv.slice(2);
  if (folder === '--help' || folder === '-h') {
    console.log(USAGE);
    return 0;
  }
  if (folder === undefined || others.length > 0 || folder.startsWith('-')) {
    console.error(USAGE);
    return 2;
  }
  const stations = await openStations();
  const verdicts: Verdict[] = [];
  for (const capture of readCaptures(folder)) {
    const verdict = compare(capture, stations);
    verdicts.push(verdict);
    print(verdict);
  }
  console.log();
  for (const line of table(verdicts)) console.log(line);
  return verdicts.some(isWrong) ? 1 : 0;
}

function isWrong({ differs, failed }: Verdict): boolean {
  return differs.length > 0 || failed.length > 0;
}

function print({ capture, right, differs, leftOut, failed }: Verdict): void {
  console.log(`${capture.file}: ${right} read`);
  for (const [reason, count] of Object.entries(leftOut))
    console.log(`  left out: ${count} ${reason}`);
  for (const difference of differs) console.log(`  differs: ${difference}`);
  for (const why of failed) console.log(`  not read: ${why}`);
}

function table(verdicts: readonly Verdict[]): readonly string[] {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const rows = WIRES.flatMap((wire) => {
    const own = verdicts.filter(({ capture }) => capture.wire === wire);
    if (own.length === 0) return [];
    return [
      [
        wire,
        own.length,
        sum(own.map(({ right }) => right)),
        sum(own.map(({ differs }) => differs.length)),
        sum(own.flatMap(({ leftOut }) => Object.values(leftOut))),
        sum(own.map(({ failed }) => failed.length)),
      ],
    ];
  });
  const names = ['wire', 'answers', 'right', 'differences', 'left out', 'not read'];
  return [names, ...rows].map((cells) =>
    cells
      .map((cell) => String(cell).padEnd(12))
      .join('')
      .trimEnd(),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CaptureError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
