// Processor time of a stream that 50 viewers follow, with a source for each and with one for all, also beside a viewer that does
// not read; writes the table into docs/measurements. `--quick` only prints it.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  medianRatio,
  report,
  table,
  times,
} from '@ticketing/bench-kit';

const flags = benchFlags({ rounds: 60 }, { quickLengths: { rounds: 15 } });
const VIEWERS = 50;
const EVENTS = 500;
const MAX_BYTES = 64 * 1024;
const prices = Array.from({ length: 20 }, (_, train) => ({ train, price: '49.90 EUR' }));

let opened = 0;
/** Work for each event: the object, and its text. */
async function* source(): AsyncGenerator<string> {
  opened += 1;
  for (let event = 0; event < EVENTS; event += 1) {
    if (event % 50 === 0) await new Promise(setImmediate);
    yield JSON.stringify({ event, prices });
  }
}

async function read(events: AsyncIterable<string>): Promise<number> {
  let length = 0;
  for await (const event of events) length += event.length;
  return length;
}

/** Returns what each viewer got. */
type Way = () => Promise<number[]>;
const each = (open: () => AsyncIterable<string>): Promise<number[]> =>
  Promise.all(Array.from({ length: VIEWERS }, () => read(open())));
const ways: readonly { readonly name: string; readonly way: Way }[] = [
  { name: 'a source for each viewer', way: () => each(source) },
  {
    name: '`createStreamCoalescer`: one for all',
    way() {
      const streams = createStreamCoalescer(source);
      return each(() => streams.follow('prices'));
    },
  },
  {
    name: 'the same, beside a viewer that does not read',
    async way() {
      const streams = createStreamCoalescer(source, { maxBytes: MAX_BYTES });
      const slow = streams.follow('prices');
      await slow.next();
      const read = await each(() => streams.follow('prices'));
      await slow.return();
      return read;
    },
  },
];

/** Equal answers first. */
const [base, ...others] = ways;
const expected = await base?.way();
for (const { name, way } of others) {
  opened = 0;
  deepStrictEqual(await way(), expected, name);
  strictEqual(opened, 1, name);
}

const samples = ways.map((): number[] => []);
for (const { item, place, round } of interleaved(ways, { rounds: flags.rounds, warmUps: 5 })) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await item.way();
  const { user, system } = process.cpuUsage(before);
  if (round >= 0) samples[place]?.push((user + system) / (VIEWERS * EVENTS));
}

const [bases = []] = samples;
report(
  new URL('../../../docs/measurements/batching.md', import.meta.url),
  [
    ...table([
      [
        `${VIEWERS} viewers of ${EVENTS} events`,
        'sources',
        'processor time of an event of a viewer',
        'ratio',
      ],
      ...ways.map(({ name }, place) => [
        name,
        String(place === 0 ? VIEWERS : 1),
        `${median(samples[place] ?? []).toFixed(2)} µs`,
        times(medianRatio(samples[place] ?? [], bases)),
      ]),
    ]),
    '',
    circumstances('pnpm --filter @ticketing/batching bench:streams', flags),
  ],
  { ...flags, marks: 'streams' },
);
