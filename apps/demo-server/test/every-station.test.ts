import type { CarrierStatus } from '@ticketing/core';
import { expect, test } from 'vitest';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { sharedServer } from './demo.ts';

const server = sharedServer('--latency', '0', '--carriers', CARRIER_NAMES.join());
const search = (origin: string, destination: string, more: Readonly<Record<string, string>> = {}) =>
  server().get(`/search?${new URLSearchParams({ origin, destination, ...more })}`);

test.each([
  ['Lille', 'Sevilla'],
  ['København H', 'Hamburg Hbf'],
  ['Brüssel Süd', "London St Pancras Int'l"],
  ['Kleinblittersdorf', 'Gargrave'],
  ['uic:8821402', 'Wien'],
  ['KGX', 'Muenchen Hbf'],
])(
  'from %s to %s no carrier goes: an answer in which each carrier reports it',
  async (origin, destination) => {
    const { status, body } = await search(origin, destination);
    expect({ status, journeys: body.journeys, complete: body.complete }).toEqual({
      ...{ status: 200, journeys: [], complete: true },
    });
    const statuses: readonly CarrierStatus[] = body.carriers;
    expect(statuses.map(({ carrier }) => carrier)).toEqual(CARRIER_NAMES);
    for (const { carrier, state, error } of statuses) {
      expect([carrier, state]).toEqual([carrier, 'empty']);
      // Some servers know both stations, and no train between them.
      expect(error?.code, carrier).toMatch(/^NOT_SERVED$|^NO_RESULTS$/);
    }
  },
);

test('a village that no carrier serves is NOT_SERVED by each', async () => {
  const { body } = await search('Kleinblittersdorf', 'Wien');
  const statuses: readonly CarrierStatus[] = body.carriers;
  expect(new Set(statuses.map(({ error }) => error?.code))).toEqual(new Set(['NOT_SERVED']));
});

test.each([
  ['London (all stations)', 'Paris (all stations)'],
  ['Barcelona (all stations)', 'Madrid (all stations)'],
  ['Zürich', 'Milano (all stations)'],
])('labels as /stations shows them, %s to %s: trains', async (origin, destination) => {
  const { status, body } = await search(origin, destination);
  expect(status).toBe(200);
  expect(body.journeys.length).toBeGreaterThan(0);
});

test('a name of two stations is a 400 with a text for each alone', async () => {
  const { status, body } = await search('Paris', 'Essen');
  expect([status, body.parameter, body.detail]).toEqual([
    400,
    'destination',
    'Parameter destination must be the name of one station, got "Essen"',
  ]);
  expect(body.nearest).toEqual([
    { id: 'uic:8010184', name: 'Essen Hbf' },
    { id: 'uic:8821402', name: 'Essen', searchName: 'uic:8821402' },
  ]);
  for (const { name, searchName = name } of body.nearest) {
    expect((await search('Paris', searchName)).status, searchName).toBe(200);
  }
});

test('the page fills the field with what means one alone', async () => {
  const text = await (
    await fetch(`${server().url}/?origin=Paris&destination=Essen&plain=1`)
  ).text();
  // A link of the page without script for each, with what it fills in.
  for (const [target, value, name] of [
    ['Essen+Hbf', 'Essen Hbf', 'Essen Hbf'],
    ['uic%3A8821402', 'uic:8821402', 'Essen'],
  ]) {
    expect(text).toContain(`href="/?origin=Paris&amp;destination=${target}&amp;plain=1"`);
    expect(text).toContain(`data-value="${value}">${name}</a>`);
  }
});
