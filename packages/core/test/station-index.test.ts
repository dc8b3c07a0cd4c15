import { createStationIndex, MAX_STATION_TEXT, type Station } from '@ticketing/core';
import { countStepsOfEach } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barcelona, madrid } from './trains.ts';

const place = (id: string, name: string, parts: Partial<Station> = {}): Station => ({
  id,
  name,
  zone: 'Europe/Madrid',
  country: 'ES',
  latitude: 0,
  longitude: 0,
  codes: {},
  ...parts,
});
const chamartin = place('uic:7117000', 'Madrid Chamartín-Clara Campoamor', {
  codes: { renfe: '17000' },
});
const malaga = place('uic:7154413', 'Málaga María Zambrano', { aliases: ['Málaga'] });
const figueres = place('renfe:04307', 'Figueres Vilafant', {
  codes: { renfe: '04307', avlo: '13' },
});
const pamplona = place('uic:7180100', 'Pamplona', { codes: { ouigo: '13' } });
const { aliases: _aliases, ...barcelonaWithoutAlias } = barcelona;
const stations = [madrid, barcelona, chamartin, malaga, figueres, pamplona];
const index = createStationIndex(stations);
const found = (station: Station) => ({ kind: 'found', station });

test('find() understands ids, qualified codes and bare codes in any case', () => {
  expect(index.find('uic:7171801')).toEqual(found(barcelona));
  expect(index.find(' UIC:7171801 ')).toEqual(found(barcelona));
  expect(index.find('renfe:71801')).toEqual(found(barcelona));
  expect(index.find('Renfe:71801')).toEqual(found(barcelona));
  expect(index.find('71801')).toEqual(found(barcelona));
  expect(index.find('uic:7154413')).toEqual(found(malaga));
  expect(index.byId('uic:7154413')).toBe(malaga);
  expect(index.byId('uic:0')).toBeUndefined();
  expect(index.byCode('renfe', '04307')).toBe(figueres);
  expect(index.byCode('renfe', '0')).toBeUndefined();
});

test('find() understands names and aliases with and without accents, in any case', () => {
  for (const text of ['Málaga María Zambrano', 'malaga maria zambrano', 'MÁLAGA-MARÍA  ZAMBRANO']) {
    expect(index.find(text)).toEqual(found(malaga));
  }
  expect(index.find('málaga')).toEqual(found(malaga));
  expect(index.find('Ma\u0301laga')).toEqual(found(malaga));
  expect(index.find('madrid')).toEqual(found(madrid));
});

test('find() understands the words of a name when one station alone has them', () => {
  expect(index.find('chamartin')).toEqual(found(chamartin));
  expect(index.find('campoamor madrid')).toEqual(found(chamartin));
  expect(index.find('vila')).toEqual(found(figueres));
});

test('find() names all candidates of an ambiguous text', () => {
  expect(index.find('mad')).toEqual({ kind: 'ambiguous', candidates: [madrid, chamartin] });
  expect(index.find('13')).toEqual({ kind: 'ambiguous', candidates: [figueres, pamplona] });
});

test('find() names the nearest stations of an unknown text, nearest first', () => {
  const nearest = (text: string, of = index) => {
    const match = of.find(text);
    return match.kind === 'unknown' ? match.nearest.map(({ name }) => name) : match.kind;
  };
  expect(nearest('Barcelnoa')[0]).toBe('Barcelona Sants');
  const withoutAliases = createStationIndex([pamplona, malaga, barcelonaWithoutAlias]);
  expect(nearest('Barcelnoa', withoutAliases)[0]).toBe('Barcelona Sants');
  expect(nearest('Madird')[0]).toBe('Madrid Puerta de Atocha');
  expect(nearest('Atcoha')[0]).toBe('Madrid Puerta de Atocha');
  expect(nearest('Zambrnao')[0]).toBe('Málaga María Zambrano');
  expect(nearest('Barcelnoa')).toHaveLength(5);
});

test('find() looks for the nearest names when they are read, and once [linear-readers]', async () => {
  const many = Array.from({ length: 500 }, (_, number) =>
    place(`x:${number}`, `Station ${number}`),
  );
  const large = createStationIndex(many);
  const text = 'barclona madird '.repeat(4);
  const isNear = (url: string): boolean => url.includes('edit-distance');
  let match = large.find('Station 7');
  const find = () => {
    match = large.find(text);
  };
  const read = () => match.kind === 'unknown' && match.nearest;
  const [found, first = 0, again] = await countStepsOfEach([find, read, read], isNear);
  expect([found, again]).toEqual([0, 0]);
  expect(first).toBeGreaterThan(500);
  // Of a longer one no name is near.
  expect(large.find(`${text}x`)).toEqual({ kind: 'unknown', nearest: [] });
});

test('find() gives the nearest names as plain data', () => {
  const match = index.find('Barcelnoa');
  expect(match).toMatchObject({ kind: 'unknown', nearest: [{}, {}, {}, {}, {}] });
  expect(JSON.parse(JSON.stringify(match))).toEqual(structuredClone(match));
});

test('find() compares whole names and words, and takes the nearest of both', () => {
  const named = createStationIndex([
    place('x:1', 'Abcdef Ghijkl Mnopqr'),
    place('x:2', 'Abcdefgh'),
    place('x:3', 'Zzzz'),
  ]);
  const nearest = (text: string) => {
    const match = named.find(text);
    return match.kind === 'unknown' && match.nearest.map(({ id }) => id);
  };
  // Of a whole name and a word that are equally near, the whole name comes first.
  expect(nearest('Abcdxefgh')).toEqual(['x:2', 'x:1', 'x:3']);
  expect(nearest('Ghijk x')).toEqual(['x:1', 'x:2', 'x:3']);
  expect(nearest('mnopqxr')).toEqual(['x:1', 'x:2', 'x:3']);
});

test('find() knows nothing of empty and of overlong text', () => {
  const nothing = { kind: 'unknown', nearest: [] };
  for (const text of ['', '   ', '-', '\u0301', 'x'.repeat(MAX_STATION_TEXT + 1)]) {
    expect(index.find(text)).toEqual(nothing);
  }
  expect(index.find(['madrid'] as never)).toEqual(nothing);
  expect(index.find('x'.repeat(MAX_STATION_TEXT))).toMatchObject({ kind: 'unknown' });
});

test('find() never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({
          unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
        }),
        fc.anything(),
      ),
      (text) => {
        expect(index.find(text as string).kind).toMatch(/found|unknown|ambiguous/);
      },
    ),
  );
});

test('find() finds each station by its id, codes and name', () => {
  for (const station of stations) {
    expect(index.find(station.id)).toEqual(found(station));
    expect(index.find(station.name)).toEqual(found(station));
    for (const [system, code] of Object.entries(station.codes)) {
      expect(index.find(`${system}:${code}`)).toEqual(found(station));
      expect(index.byCode(system, code)).toBe(station);
    }
  }
  expect(index.stations).toEqual(stations);
});

test('createStationIndex() refuses an id or a code that two stations share', () => {
  expect(() => createStationIndex([madrid, place(madrid.id, 'Elsewhere')])).toThrow(
    new TypeError(
      'Cannot index stations: station id `uic:7160000` is used twice, by Madrid Puerta de Atocha and Elsewhere',
    ),
  );
  expect(() =>
    createStationIndex([madrid, place('x:1', 'Elsewhere', { codes: { renfe: '60000' } })]),
  ).toThrow(
    new TypeError(
      'Cannot index stations: station code `renfe:60000` is used twice, by Madrid Puerta de Atocha and Elsewhere',
    ),
  );
});

test('find() understands full-width letters, ligatures, and names with characters that are not seen', () => {
  expect(index.find('Ｂａｒｃｅｌｏｎａ　Ｓａｎｔｓ')).toEqual(found(barcelona));
  expect(index.find('Bar\u00adcelona')).toEqual(found(barcelona));
  expect(index.find('\u200eMálaga\u200b')).toEqual(found(malaga));
  const fiesole = place('uic:1', 'Fiesole');
  expect(createStationIndex([fiesole]).find('ﬁesole')).toEqual(found(fiesole));
  expect(createStationIndex([place('uic:1', 'ﬁesole')]).find('FIESOLE')).toMatchObject({
    kind: 'found',
  });
});

test('find() looks at no text that is overlong once it is folded', () => {
  expect(index.find('\ufdfa'.repeat(MAX_STATION_TEXT))).toEqual({ kind: 'unknown', nearest: [] });
});

test('find() means a city where a text means its stations, too', () => {
  const city = { ...place('city:es:madrid', 'Madrid'), members: [madrid, chamartin] };
  const withCity = createStationIndex(stations, [city]);
  expect(withCity.groups).toEqual([city]);
  expect(withCity.stations).toBe(stations);
  expect(withCity.byId('city:es:madrid')).toBe(city);
  for (const text of ['Madrid', 'madr', 'CITY:ES:MADRID']) {
    expect(withCity.find(text), text).toEqual({ kind: 'found', station: city });
  }
  expect(withCity.find('chamartin')).toEqual(found(chamartin));
  expect(withCity.find('Madird')).toMatchObject({
    kind: 'unknown',
    nearest: [{ id: 'city:es:madrid' }, {}, {}, {}, {}],
  });
  expect(() => createStationIndex([madrid], [city])).toThrow(
    'Cannot index stations: city `city:es:madrid` has `uic:7117000`, which is not in the table',
  );
  expect(() => createStationIndex(stations, [{ ...city, id: madrid.id }])).toThrow(
    `Cannot index stations: station id \`${madrid.id}\` is used twice`,
  );
});
