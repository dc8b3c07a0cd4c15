import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGtfsZip } from '@ticketing/carrier-sim/gtfs';
import { stations } from '@ticketing/carriers';
import { expect, onTestFinished, test } from 'vitest';
import { createCarriers } from '../src/carriers/carriers.ts';

const now = (): number => Date.UTC(2026, 10, 1);

test('--gtfs is the timetable of the carrier gtfs; one that cannot be read is an error of this carrier', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gtfs-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const gtfsFile = join(folder, 'feed.zip');
  const settings = { carriersUrl: 'http://127.0.0.1:1', ouigo: { username: '', password: '' } };
  const carriers = createCarriers({ ...settings, gtfsFile }, now);
  onTestFinished(() => carriers.close());
  const [zurich, bern] = ['uic:8503000', 'uic:8507000'].map((id) =>
    stations.find((station) => station.id === id),
  );
  const ask = async () => {
    const carrier = carriers.byName.gtfs;
    const query = {
      ...{ origin: zurich as never, destination: bern as never, date: '2026-12-01' },
      passengers: [{}],
    };
    const http = carriers.http.clientOf('gtfs');
    const context = { signal: new AbortController().signal, deadline: now() + 1000, http };
    return carrier.normalise(await carrier.request(query, context), query);
  };
  await expect(ask()).rejects.toMatchObject({ code: 'PROTOCOL' });
  await writeFile(gtfsFile, createGtfsZip({ from: '2026-12-01', days: 1 }));
  expect((await ask()).journeys.length).toBeGreaterThan(10);
});
