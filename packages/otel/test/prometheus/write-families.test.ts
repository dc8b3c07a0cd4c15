import { type Metric, Registry } from '@prometheus-io/client';
import { hasPromtool, promtool } from '@ticketing/test-kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bucketsInSeconds,
  byLabel,
  type Family,
  writeFamilies,
} from '../../src/prometheus/index.ts';

const source = {
  calls: { led: 2, joined: 1 },
  took: { leMs: [5, 250], counts: [1, 0, 2], sumMs: 1500 },
};
const families: readonly Family<typeof source>[] = [
  {
    name: 'calls_total',
    help: 'Calls by what they "met"',
    type: 'counter',
    points: ({ calls }) => byLabel('outcome', { labels: { name: 'document' }, values: calls }),
  },
  { name: 'nothing', help: 'Without series', type: 'gauge', points: () => [] },
  {
    name: 'took_seconds',
    help: 'Time',
    type: 'histogram',
    distributions: ({ took }) => [{ labels: {}, buckets: bucketsInSeconds(took) }],
  },
];

test('writeFamilies() writes the text format of Prometheus', () => {
  expect(writeFamilies(families, { source })).toEqual({
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: `# HELP calls_total Calls by what they "met"
# TYPE calls_total counter
calls_total{name="document",outcome="led"} 2
calls_total{name="document",outcome="joined"} 1

# HELP took_seconds Time
# TYPE took_seconds histogram
took_seconds_bucket{le="0.005"} 1
took_seconds_bucket{le="0.25"} 1
took_seconds_bucket{le="+Inf"} 3
took_seconds_sum 1.5
took_seconds_count 3
`,
  });
});

test('writeFamilies() writes OpenMetrics', () => {
  const { contentType, text } = writeFamilies(families, { source, format: 'openmetrics' });
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(text).toContain(`# HELP calls Calls by what they \\"met\\"
# TYPE calls counter
calls_total{name="document",outcome="led"} 2
`);
  expect(text.endsWith('took_seconds_count 3\n# EOF\n')).toBe(true);
});

test('a scrape without families is empty', () => {
  expect(writeFamilies([], { source }).text).toBe('');
  expect(writeFamilies([], { source, format: 'openmetrics' }).text).toBe('# EOF\n');
});

const names = fc.stringMatching(/^[a-z_:][a-z0-9_:]{0,8}$/);
const labels = fc.dictionary(
  fc.stringMatching(/^[a-z_][a-z0-9_]{0,6}$/),
  fc.string({ unit: 'binary' }),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
);
// The client writes `Nan`, and the formats have `NaN`.
const values = fc.double({ noNaN: true });
const single = fc.record({
  type: fc.constantFrom('counter' as const, 'gauge' as const),
  series: fc.array(fc.record({ labels, value: values }), { minLength: 1, maxLength: 3 }),
});
const distribution = fc
  .uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 4 })
  .chain((le) =>
    fc.record({
      le: fc.constant([...le].sort((one, two) => one - two)),
      counts: fc.array(fc.nat(), { minLength: le.length + 1, maxLength: le.length + 1 }),
      sum: values,
    }),
  );
const histogram = fc.record({
  type: fc.constant('histogram' as const),
  series: fc.array(fc.record({ labels, buckets: distribution }), { minLength: 1, maxLength: 2 }),
});
// The client leaves quotes of a help as they are, and OpenMetrics has them escaped.
const helps = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('"', ''));
const anyFamilies = fc.uniqueArray(
  fc
    .tuple(names, helps, fc.oneof(single, histogram))
    .map(([name, help, kind]): Family<undefined> => {
      if (kind.type === 'histogram') {
        return { name, help, type: kind.type, distributions: () => kind.series };
      }
      const { type, series } = kind;
      return {
        name: type === 'counter' ? `${name}_total` : name,
        help,
        type,
        points: () => series,
      };
    }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 4 },
);

/** Writes families by the client of the Prometheus project. */
async function writtenByClient(
  written: readonly Family<undefined>[],
  contentType: string,
): Promise<string> {
  const registry = new Registry(contentType as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  for (const family of written) {
    const { name, help, type } = family;
    const metric = {
      name,
      help,
      type,
      get: async () => ({ ...metric, values: clientValues(family) }),
    };
    registry.registerMetric(metric as unknown as Metric<string>);
  }
  return registry.metrics();
}

function clientValues(family: Family<undefined>): readonly object[] {
  if (family.type !== 'histogram') return family.points(undefined);
  const { name } = family;
  return family
    .distributions(undefined)
    .flatMap(({ labels: own, buckets: { le, counts, sum } }) => {
      const upTo = (at: number) =>
        counts.slice(0, at + 1).reduce((total, count) => total + count, 0);
      return [
        ...counts.map((_, at) => ({
          metricName: `${name}_bucket`,
          labels: { ...own, le: String(le[at] ?? '+Inf') },
          value: upTo(at),
        })),
        { metricName: `${name}_sum`, labels: own, value: sum },
        { metricName: `${name}_count`, labels: own, value: upTo(counts.length) },
      ];
    });
}

test.each(['text', 'openmetrics'] as const)(
  'writeFamilies() writes the bytes that the client of Prometheus writes: %s',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(anyFamilies, async (some) => {
        const { contentType, text } = writeFamilies(some, { source: undefined, format });
        expect(text).toBe(await writtenByClient(some, contentType));
      }),
    );
  },
);

describe.skipIf(!hasPromtool())('promtool', () => {
  test('finds no fault in what writeFamilies() writes', async () => {
    expect(await promtool(['check', 'metrics'], writeFamilies(families, { source }).text)).toBe('');
  });

  test('reads every text that writeFamilies() writes', async () => {
    const some = fc.sample(anyFamilies, { numRuns: 100, seed: 1 }).flat();
    const named = some.map((family, at) => ({ ...family, name: `f${at}_${family.name}` }));
    // It reports names and helps against its advice by the exit code 3, and a text that it cannot read by 1.
    const said = await promtool(
      ['check', 'metrics'],
      writeFamilies(named, { source: undefined }).text,
    ).catch((error: { readonly code: number }) => error);
    expect(said).toMatchObject({ code: 3 });
  });
});

const gauge = (name: string, labels: Record<string, string> = {}): Family<undefined> => ({
  ...{ name, help: '', type: 'gauge' },
  points: () => [{ labels, value: 1 }],
});

test.each<[readonly Family<undefined>[], string]>([
  [[gauge('a-b')], 'Name of a family must match ^[A-Za-z_:][A-Za-z0-9_:]*$, got `a-b`'],
  [[gauge('a'), gauge('a')], 'Two families have the name `a`'],
  [
    [{ name: 'a', help: '', type: 'counter', points: () => [] }],
    'Name of a counter must end in `_total`, got `a`',
  ],
  [[gauge('a', { 'b.c': '' })], 'Name of a label must match ^[A-Za-z_][A-Za-z0-9_]*$, got `b.c`'],
])('writeFamilies() refuses names that no scraper reads', (wrong, message) => {
  expect(() => writeFamilies(wrong, { source: undefined })).toThrow(new TypeError(message));
});

test('writeFamilies() refuses an unknown format', () => {
  const format = 'json' as 'text';
  expect(() => writeFamilies([], { source: undefined, format })).toThrow(
    new TypeError('Option `format` must be `text` or `openmetrics`, got `json`'),
  );
});
