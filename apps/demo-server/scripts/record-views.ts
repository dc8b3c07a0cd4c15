// Records views of real servers, for the tests of their health: `pnpm --filter demo-server record-views [name…]` writes
// test/recorded/<name>.json. Look at what it records before it is kept: a busy machine has conditions of its own.
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '@ticketing/cli-kit';
import { type DemoServer, startServer } from '../bench/demo-process.ts';
import type { OperatorView } from '../src/figures/view-schema.ts';
import { changeOf, type Recorded, reduced } from '../test/recorded-views.ts';

interface Story {
  readonly argv: readonly string[];
  /** Seconds, and what is done at their beginning: a request of the page. */
  readonly phases: readonly (readonly [
    phase: string,
    seconds: number,
    method: 'PUT' | 'POST' | '',
    path: string,
    body: unknown,
  ])[];
}

/** A connection that is kept may be that of a process that is killed. */
const CLOSE = { connection: 'close' };
const PLAN = '/operator/carriers/renfe/plan';
const loadFor = (seconds: number, untilFault: number) =>
  [
    'load',
    untilFault,
    'POST',
    '/operator/load',
    { perSecond: 20, seconds, path: '/search?origin=Atocha&destination=Barcelona' },
  ] as const;
const fork = ['--dispatch', 'fork', '--dispatch-workers'];

const stories: Readonly<Record<string, Story>> = {
  hang: {
    argv: [...fork, '4'],
    phases: [
      ['idle', 6, '', '', {}],
      loadFor(32, 10),
      ['hang', 10, 'PUT', PLAN, { fault: { kind: 'hang', share: 1 } }],
      ['reset', 10, 'PUT', PLAN, { fault: null }],
    ],
  },
  errors: {
    argv: [],
    phases: [
      ['idle', 6, '', '', {}],
      loadFor(35, 10),
      ['errors', 10, 'PUT', PLAN, { fault: { kind: 'error', share: 0.5 } }],
      ['reset', 12, 'PUT', PLAN, { fault: null }],
    ],
  },
  kill: {
    argv: ['--accept', 'cluster', '--workers', '2', ...fork, '2'],
    phases: [
      ['idle', 6, '', '', {}],
      loadFor(35, 8),
      ['killed task', 8, 'POST', '/operator/processes/server-0%2Ftask-0/kill', {}],
      ['killed server', 10, 'POST', '/operator/processes/server-1/kill', {}],
      ['reload', 12, 'POST', '/operator/reload', {}],
    ],
  },
};

const { words: names } = commandLine({
  run: 'pnpm --filter demo-server record-views',
  about: 'Records views of real servers, for the tests of their health.',
  verb: 'record views',
  flags: {},
  words: { name: 'name', known: Object.keys(stories) },
});
for (const [name, story] of Object.entries(stories)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const recorded = await record(story);
  const lines = recorded.views.map((view) => `    ${JSON.stringify(view)}`).join(',\n');
  const { argv, node, leMs } = recorded;
  const text = `{\n  "argv": ${JSON.stringify(argv)},\n  "node": "${node}",\n  "leMs": ${JSON.stringify(leMs)},\n  "views": [\n${lines}\n  ]\n}\n`;
  writeFileSync(new URL(`../test/recorded/${name}.json`, import.meta.url), text);
  console.log(`${name}: ${recorded.views.length} views, ${text.length} bytes`);
}

async function record({ argv, phases }: Story): Promise<Recorded> {
  const server = await startServer([
    '--port',
    '0',
    '--worms',
    '0',
    '--carriers',
    'renfe,ouigo,avlo',
    ...argv,
  ]);
  const views: (readonly [string, never])[] = [];
  let before: ReturnType<typeof reduced> | undefined;
  let leMs: readonly number[] = [];
  for (const [phase, seconds, method, path, body] of phases) {
    if (method !== '') await ask(server, method, path, body);
    for (let second = 0; second < seconds; second += 1) {
      await delay(1000);
      const view = (await (
        await fetch(`${server.url}/operator/state`, { headers: CLOSE })
      ).json()) as OperatorView;
      const now = reduced(view);
      views.push([phase, (changeOf(before, now) ?? {}) as never]);
      before = now;
      const [times] = view.carriers.flatMap(({ latency }) => Object.values(latency));
      leMs = times?.leMs ?? leMs;
      for (const { severity, name, says } of view.health) {
        if (severity !== 'note') console.log(`${phase} ${second} s: ${name} ${says}`);
      }
    }
  }
  await server.stop();
  return { argv, node: process.version, leMs, views };
}

async function ask({ url }: DemoServer, method: string, path: string, body: unknown) {
  const headers = { ...CLOSE, 'content-type': 'application/json', origin: url };
  const order = { method, headers, body: JSON.stringify(body) };
  // The process that is killed may be the one that was asked.
  const answer = await fetch(url + path, order).catch(() => undefined);
  if (answer?.ok === false)
    throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}
