import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Guard } from '../src/index.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(new URL('../../docs/reference/resilience.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function run<T>(index: number, names: string, before = ''): Promise<T> {
  const file = new URL(`main-${index}.ts`, folder);
  await writeFile(file, `${before}\n${snippets[index]}\nexport { ${names} };\n`);
  return (await import(file.href)) as T;
}

test('README: a guard of five parts, and a call', async () => {
  const fetchPrices = 'const fetchPrices = async (signal: AbortSignal) => [signal.aborted, 1];';
  const { guard, prices } = await run<{ guard: Guard; prices: unknown }>(
    0,
    'guard, prices',
    fetchPrices,
  );
  expect(prices).toEqual([false, 1]);
  expect(guard.stats()).toMatchObject({
    circuit: { kind: 'closed', outcomes: 1 },
    concurrency: { limit: 64 },
    calls: { succeeded: 1 },
  });
});

test('README: the error of a refusal', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await run(1, 'guard');
  const [code, retryAfterMs] = log.mock.calls[0] ?? [];
  log.mockRestore();
  expect(code).toBe('ERR_RATE_LIMITED');
  expect(retryAfterMs).toBeGreaterThan(900);
  expect(retryAfterMs).toBeLessThanOrEqual(1000);
});

test('README: meanings of errors', async () => {
  const { guard } = await run<{ guard: Guard }>(2, 'guard');
  const end = (details: object) =>
    guard.run(() => Promise.reject(Object.assign(new Error('no'), details))).catch(() => {});
  await end({ status: 404 });
  await end({ status: 401 });
  await end({ status: 429, retryAfter: 30 });
  expect(guard.stats()).toMatchObject({
    outcomes: { success: 1, failure: 1, throttled: 1 },
    attempts: { retry: 0 },
  });
  expect(guard.stats().rate.pausedMs).toBeGreaterThan(29_000);
});

test('README begins with the sentence of the package, and has at most 900 words', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/resilience\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has each option, member, counter, channel, field and code', async () => {
  const files = (await readdir(new URL('src/', root))).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(
    files.map((file) => readFile(new URL(`src/${file}`, root), 'utf8')),
  );
  const text = texts.join('\n');
  const interfaces = text.matchAll(
    /export interface (?:Guard|Attempt|ExecuteContext|Verdict|\w+(?:Options|Stats|Message)) \{([\s\S]*?)\n\}/g,
  );
  const names = [...interfaces].flatMap(([, members = '']) =>
    [...members.matchAll(/^ {2,4}(?:readonly )?(\w+)[?:(<]/gm)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(80);
  for (const name of names) {
    expect(reference, name).toMatch(new RegExp(`(?:\`|\\.|\\{ |, )${name}\\b`));
  }
  const channels = [...text.matchAll(/'(ticketing:resilience:\w+)'/g)].map(([, name = '']) => name);
  expect(new Set(channels).size).toBe(5);
  for (const name of channels) expect(reference).toContain(`\`${name}\``);
  const codes = [...text.matchAll(/'(ERR_\w+)'/g)].map(([, code = '']) => code);
  expect(new Set(codes).size).toBe(6);
  for (const code of codes) expect(reference).toContain(`\`${code}\``);
});

/** Values of the table of options that are numbers, by the names in the first column. */
function defaultsOf(part: string): Record<string, number> {
  const section = reference.split(`### \`${part}\`\n`)[1]?.split('\n#')[0] ?? '';
  const rows = [...section.matchAll(/^\| `([\w.]+)`\s*\|[^|]*\|\s*([\d.,]+)\s*\|/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', value = '']) => [name, Number(value.replaceAll(',', ''))]),
  );
}

test('the reference has the defaults of the code', async () => {
  const { resolveGuardOptions } = await import('../src/guard-options.ts');
  const resolved = resolveGuardOptions({
    name: 'a',
    rate: { perSecond: 1, burst: 1 },
    concurrency: { adaptive: {} },
    circuit: {},
    retry: {},
    hedge: {},
  });
  const { initial, min, max, maxQueued } = resolved.concurrency ?? {};
  expect(defaultsOf('rate')).toEqual({ maxWaitMs: resolved.rate?.maxWaitMs });
  expect(defaultsOf('concurrency')).toEqual({
    'adaptive.initial': initial,
    'adaptive.min': min,
    'adaptive.max': max,
    maxQueued,
  });
  expect(defaultsOf('circuit')).toEqual(resolved.circuit);
  const { budget, ...retry } = resolved.retry ?? {};
  const budgetByPath = Object.entries(budget ?? {}).map(([name, value]) => [
    `budget.${name}`,
    value,
  ]);
  expect(defaultsOf('retry')).toEqual({ ...retry, ...Object.fromEntries(budgetByPath) });
  expect(defaultsOf('hedge')).toEqual(resolved.hedge);
});
