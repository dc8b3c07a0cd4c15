import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { worms } from '../src/worms/worm.ts';
import { serveDemo, sharedServer, statsOf, temporaryFolder } from './demo.ts';

const UTILIZE = '/api/v1/worms/utilize';

const firstTen = (count: number) =>
  [...worms(1, count)].filter((worm) => worm.class === 'utilize').slice(0, 10);

const shared = sharedServer('--worms', '1000');

test('fewer if the store has fewer; none of a class that is unknown', async () => {
  const { get } = shared();
  expect((await get(UTILIZE)).body).toEqual(firstTen(1000));
  expect((await get(UTILIZE)).body.length).toBeLessThan(10);
  for (const unknown of [
    'unknown',
    'Utilize',
    "'",
    '%25',
    'ver%20me',
    '%F0%9F%AA%B1',
    'constructor',
  ]) {
    const { status, body } = await get(`/api/v1/worms/${unknown}`);
    expect({ status, body }, unknown).toEqual({ status: 200, body: [] });
  }
});

test('--worms 0 opens no store, and finds nothing', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { get } = await serveDemo('--worms', '0');
  expect(await get(UTILIZE)).toMatchObject({ status: 200, body: [] });
  expect((await statsOf({ get }))[0].worms).toMatchObject({
    kind: 'none',
    queries: 1,
    driver: null,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a class that is wrong is 400 problem+json', async () => {
  const { get } = shared();
  const cases: [path: string, detail: RegExp][] = [
    ['', /^Parameter class must be text of at least 1 characters, got ""$/],
    ['x'.repeat(101), /^Parameter class must be text of at most 100 characters, got "x{100}…"$/],
    ['x'.repeat(9000), /at most 100 characters/],
    ['a%00b', /^Parameter class must be text without control characters/],
    ['%0A', /without control characters/],
    ['%C2%85', /without control characters/],
    ['%ff', /not a valid url/],
    ['utilize?limit=3', /^Parameter limit must be a parameter of/],
  ];
  for (const [path, detail] of cases) {
    const { status, type, body } = await get(`/api/v1/worms/${path}`);
    expect({ status, type }, path).toEqual({ status: 400, type: 'application/problem+json' });
    expect(body.detail).toMatch(detail);
  }
  expect((await get(`/api/v1/worms/${'x'.repeat(100)}`)).status).toBe(200);
});

test('/openapi.json describes /worms', async () => {
  const { get } = shared();
  const { body } = await get('/openapi.json');
  const { get: described } = body.paths['/api/v1/worms/{class}'];
  expect(described.parameters).toMatchObject([
    { name: 'class', in: 'path', required: true, schema: { minLength: 1, maxLength: 100 } },
  ]);
  expect(Object.keys(described.responses)).toEqual(
    expect.arrayContaining(['200', '400', '502', '503', '504']),
  );
  const { schema } = described.responses['200'].content['application/json'];
  expect(schema.items).toEqual({ $ref: '#/components/schemas/Worm' });
  expect(body.components.schemas.Worm.required).toEqual(Object.keys(firstTen(1000)[0] ?? {}));
});
