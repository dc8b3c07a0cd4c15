import { openStations } from '@ticketing/stations';
import { expect, test } from 'vitest';
import { searchedStations } from '../src/search/station-texts.ts';
import { sharedServer } from './demo.ts';

const server = sharedServer('--latency', '0');

interface Suggestion {
  readonly kind: 'city' | 'station';
  readonly id: string;
  readonly label: string;
  readonly searchName: string;
}
const suggested = async (query: string): Promise<readonly Suggestion[]> =>
  (await server().get(`/stations?${query}`)).body.stations;

test('GET /stations?text suggests cities and stations, with credit and age', async () => {
  const { status, body } = await server().get('/stations?text=barclona&limit=3');
  expect(status).toBe(200);
  expect(body).toEqual({
    stations: [
      {
        kind: 'city',
        id: 'city:es:barcelona',
        name: 'Barcelona',
        label: 'Barcelona (all stations)',
        country: 'ES',
        matched: [[0, 9]],
        match: 'typo',
        // The carriers serve one of its stations by this name.
        stations: 1,
        searchName: 'Barcelona',
      },
      expect.objectContaining({
        id: 'uic:7171801',
        city: 'city:es:barcelona',
        searchName: 'Barcelona Sants',
      }),
      expect.objectContaining({ kind: 'station' }),
    ],
    asOf: expect.stringMatching(/^\d{4}-\d\d$/),
    attribution: expect.stringContaining('ODbL'),
  });
});

test('GET /stations gives with a city how many stations are asked for, and with a station its city', async () => {
  const found = (await server().get('/stations?text=madrid&limit=5')).body.stations;
  expect(found[0]).toMatchObject({ id: 'city:es:madrid', stations: 2 });
  expect(found[1]).toMatchObject({ kind: 'station', city: 'city:es:madrid' });
  // Its city is not in the answer.
  const [sants] = (await server().get('/stations?text=barcelona+sants&limit=1')).body.stations;
  expect(sants).toMatchObject({ id: 'uic:7171801' });
  expect(sants).not.toHaveProperty('city');
});

test('GET /stations gives with each station what /search takes: a name, a label, or an id where others have these too', async () => {
  const texts = searchedStations(await openStations());
  const meant = (text: string): string => {
    const match = texts.find(text);
    return match.kind === 'found' ? match.station.id : match.kind;
  };
  const cities = new Set<string>();
  for (const text of [
    'm',
    'val',
    'marsella',
    'saint',
    'lisb',
    'madird',
    'roma',
    'essen',
    'neust',
  ]) {
    for (const { kind, id, label, searchName } of await suggested(`text=${text}&limit=50`)) {
      if (kind === 'station') expect(meant(searchName), searchName).toBe(id);
      else cities.add(`${searchName}: ${meant(searchName)}, ${meant(label)}`);
    }
  }
  expect(cities).toContain('Roma: city:it:roma, city:it:roma');
  // The carriers serve one of its stations by this name.
  expect(cities).toContain('Marseille: uic:8775100, city:fr:marseille');
  expect([...cities].filter((line) => /unknown|ambiguous/.test(line))).toEqual([]);
  const essen = await suggested('text=essen&limit=2');
  expect(essen.map(({ searchName }) => searchName)).toEqual(['Essen Hbf', 'uic:8821402']);
});

test('GET /stations?near gives stations around a point, and prefers them for a text', async () => {
  const [first] = await suggested('near=40.4065,-3.6895&limit=2');
  expect(first).toMatchObject({ id: 'uic:7160000', kind: 'station', km: expect.any(Number) });
  expect(await suggested('near=0,0')).toEqual([]);
  const north = await suggested('text=neusta&near=54,10');
  const south = await suggested('text=neusta&near=49.3,8.1');
  expect(north[0]?.id).not.toBe(south[0]?.id);
});

test('GET /stations/:id gives a station with its codes, and a city with its stations', async () => {
  const munich = await server().get('/stations/uic:8020347');
  expect(munich.body).toMatchObject({
    name: 'München Hbf',
    zone: 'Europe/Berlin',
    codes: { ibnr: '8000261' },
    otherCodes: { uic: expect.arrayContaining(['8020349']) },
  });
  const { body: madrid } = await server().get('/stations/city:es:madrid');
  expect(madrid.members[0]).toEqual({ id: 'uic:7160000', name: 'Madrid Atocha' });
  expect((await server().get('/stations/entur:NSR:StopPlace:337')).body.name).toBe('Oslo S');
});

test('suggestions have one tag, which changes with the table alone, and are not made again for it', async () => {
  const tags = new Set<string | null>();
  for (const path of ['/stations?text=a', '/stations?text=b&limit=2', '/stations/uic:8020347']) {
    const { headers } = await server().get(path);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    tags.add(headers.get('etag'));
  }
  expect(tags.size).toBe(1);
  const [tag] = tags;
  const again = await server().get('/stations?text=a', { headers: { 'if-none-match': tag ?? '' } });
  expect(again.status).toBe(304);
});

test.each([
  ['/stations?limit=0&text=a', 'limit', 'Parameter limit must be >= 1, got 0'],
  ['/stations?limit=51&text=a', 'limit', 'Parameter limit must be <= 50, got 51'],
  [
    '/stations?near=91,0',
    'near',
    'Parameter near must be latitude and longitude, as in 40.4065,-3.6895, got "91,0"',
  ],
  [
    '/stations?near=x',
    'near',
    'Parameter near must be latitude and longitude, as in 40.4065,-3.6895, got "x"',
  ],
  [
    `/stations?text=${'a'.repeat(101)}`,
    'text',
    `Parameter text must be text of at most 100 characters, got "${'a'.repeat(100)}…"`,
  ],
  ['/stations?txt=a', 'txt', 'Parameter txt must be a parameter of /openapi.json, got "txt"'],
])('GET %s is a 400 that names %s', async (path, parameter, detail) => {
  const { status, body } = await server().get(path);
  expect([status, body.parameter, body.detail]).toEqual([400, parameter, detail]);
});

test('GET /stations/:id of no station is a 404 with the nearest', async () => {
  const { status, body } = await server().get('/stations/madird');
  expect(status).toBe(404);
  expect(body).toMatchObject({
    detail: 'No station has the id madird',
    nearest: expect.arrayContaining([{ id: 'city:es:madrid', name: 'Madrid' }]),
  });
});
