import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { carriersBehindGate } from './carriers-behind-gate.ts';
import { eventually, MADRID_BARCELONA, serveDemoBy, statsOf } from './demo.ts';

const REVERSED = '/search?destination=uic:7171801&passengers=1&origin=7160000&order=departure';

const SEARCHES = scaled({ fast: 50, full: 300 });

test(`${SEARCHES} equal searches at once are one search upstream, with one body that is compressed once`, async () => {
  const { url, open, sim } = await carriersBehindGate();
  const flags = ['--carriers-url', url, '--deadline-ms', '60000'];
  const { get } = await serveDemoBy(Date.now, ...flags);
  const paths = Array.from({ length: SEARCHES }, (_, index) =>
    index % 2 ? MADRID_BARCELONA : REVERSED,
  );
  const asked = paths.map((path) => get(path));
  await eventually(async () =>
    expect((await statsOf({ get }))[0].coalesce).toMatchObject({ joined: SEARCHES - 1 }),
  );
  open();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers[0]?.body.complete).toBe(true);
  expect(sim.requests()).toMatchObject({
    renfe: { arrived: 4 },
    ouigo: { arrived: 2 },
    avlo: { arrived: 2 },
  });
  const [stats] = await statsOf({ get });
  expect(stats.coalesce).toMatchObject({
    asked: SEARCHES,
    loaded: 1,
    joined: SEARCHES - 1,
    inFlight: 0,
  });
  // `fetch` accepts gzip.
  expect(stats.encoding).toMatchObject({ asked: SEARCHES, compressed: 1 });
});

const STREAMS = scaled({ fast: 10, full: 50 });

test(`${STREAMS} streams of one question are one search upstream, with equal journeys`, async () => {
  const { url, open, sim } = await carriersBehindGate();
  const flags = ['--carriers-url', url, '--deadline-ms', '60000'];
  const { get } = await serveDemoBy(Date.now, ...flags);
  const path = '/search?origin=Atocha&destination=Sevilla';
  const headers = { accept: 'application/x-ndjson' };
  const asked = Array.from({ length: STREAMS }, () => get(path, { headers }));
  await eventually(async () =>
    expect((await statsOf({ get }))[0].streams).toMatchObject({ joined: STREAMS - 1, inFlight: 1 }),
  );
  open();
  const answers = await Promise.all(asked);
  expect(sim.requests()).toMatchObject({ renfe: { arrived: 4 }, ouigo: { arrived: 2 } });
  const journeys = answers.map(({ body }) =>
    (body as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'journeys-upsert'),
  );
  expect(journeys[0]?.length).toBeGreaterThan(0);
  for (const each of journeys) expect(each).toEqual(journeys[0]);
});
