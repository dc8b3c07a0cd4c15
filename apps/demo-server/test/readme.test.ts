import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { titles } from '../src/problem/problem.ts';
import { SearchParameters } from '../src/search/search-parameters.ts';
import { ASKED, sharedServer } from './demo.ts';

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = page('README.md');
const reference = page('../../docs/reference/demo-server.md');
const run = promisify(execFile);
const server = sharedServer('--latency', '0', '--deadline-ms', '5000', '--worms', '50');

/** Runs a command of a page against the server of this file. Returns its output. */
async function output(command: string): Promise<string> {
  const here = command.replaceAll('http://127.0.0.1:3000', server().url);
  return (await run('bash', ['-c', here])).stdout;
}

const [document, events, hang, ...others] = [...readme.matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(
  ([command]) => command,
);

test('README begins with the sentence of the package, and has at most 900 words', () => {
  const { description } = JSON.parse(page('package.json'));
  expect(readme.startsWith(`# demo-server\n\n${description}.\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('README: a search is one document, or an event per line', async () => {
  const answer = JSON.parse(await output(`${document} --silent`));
  expect(answer).toMatchObject({ complete: true });
  const lines = (await output(`${events} --silent`)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    'search-started',
    ...ASKED.flatMap(() => ['carrier-status', 'journeys-upsert']),
    'search-done',
  ]);
});

test('README: a carrier that hangs is missing at the deadline', async () => {
  expect(others).toEqual([]);
  // The other tests share the server, in any order.
  onTestFinished(async () => {
    await output(`${hang?.replace('{ "kind": "hang" }', 'null')} --silent`);
  });
  expect(JSON.parse(await output(`${hang} --silent`))).toMatchObject({ fault: { kind: 'hang' } });
  const { body } = await server().get(
    '/search?origin=Madrid&destination=Barcelona&carriers=avlo,renfe',
  );
  expect(body.complete).toBe(false);
});

test('the reference has a row for every route of the document, and no other', async () => {
  const { paths } = (await server().get('/openapi.json')).body as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/, ':$1')}`,
    ),
  );
  const rows = [...reference.matchAll(/^\| `((?:GET|POST|PUT) [^`?]*)/gm)].map(([, row]) => row);
  expect([...new Set(rows)].sort()).toEqual(expect.arrayContaining(routes.sort()));
  for (const row of rows) {
    expect([...routes, 'GET /', 'GET /openapi.json', 'GET /docs', 'GET /operator']).toContain(row);
  }
});

test('the reference has a row for every parameter of a search, and every status', () => {
  for (const name of Object.keys(SearchParameters.properties)) {
    expect(reference).toContain(`\n| \`${name}\` `);
  }
  for (const status of Object.keys(titles))
    expect(reference).toMatch(new RegExp(`^\\| ${status}\\b`, 'm'));
});

test('the reference has every code of the database', () => {
  const files = readdirSync(new URL('../src/worms/', import.meta.url));
  const codes = files.flatMap((file) => [
    ...page(`src/worms/${file}`).matchAll(/ERR_DATABASE_\w+/g),
  ]);
  const named = new Set(codes.map(([code]) => code));
  expect(named.size).toBe(4);
  for (const code of named) expect(reference).toContain(`\n| \`${code}\` `);
});
