import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { scaled } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { execArgv, runsSources } from '../worker-processes.ts';

/** Files of the same cases run at the same time. */
const folder = new URL(`.started/${process.pid}/`, import.meta.url);
const cluster = `../../../../../dispatch-cluster/${runsSources ? 'src/index.ts' : 'dist/index.js'}`;
const imports = `import { createServer } from 'node:http';
import { attachServer, createSocketRouter } from '@ticketing/socket-router';
import { clusterWorker, startCluster } from '${cluster}';
`;

/** Runs a program whose router has a cluster as source; returns it, and its first message. */
async function start(
  options: string,
  entry: string,
): Promise<{ program: ChildProcess; message: unknown }> {
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const router = `${imports}
const entry = new URL('./entry.js', import.meta.url);
const supervisor = startCluster({ entry, workers: 1, restart: { maxFailures: 0 }, output: 'ignore', ${options} });
try {
  const router = createSocketRouter({ workers: supervisor });
  const said = await router.ready().then(() => 'ready', ({ code, message, cause }) => ({ code, message, cause: String(cause) }));
  process.send(said);
  await router.close();
} catch (error) {
  process.send(String(error));
  await supervisor.close();
}
process.disconnect();
`;
  await writeFile(new URL('router.js', folder), router);
  await writeFile(new URL('entry.js', folder), `${imports}${entry}`);
  const program = fork(new URL('router.js', folder), { execArgv: [...execArgv] });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [message] = await once(program, 'message');
  return { program, message };
}

const notAttached = {
  code: 'ERR_CIRCUIT_OPEN',
  message: expect.stringMatching(
    /^Workers keep failing to start: Worker of slot `0` must attach its server: `clusterWorker\({ server, attach: attachServer }\)`$/,
  ),
  cause: expect.stringMatching(/^TypeError: Worker of slot `0` must attach its server/),
};
const shared =
  "TypeError: Cannot create router: `workers` must be a supervisor with `connections: 'external'`, got one whose workers listen themselves";
const listening = 'clusterWorker({ server: createServer(), listen: { port: 0 } });';

const attached = "connections: 'external'";
const sources = {
  'that attaches its server is ready': [
    attached,
    'clusterWorker({ server: createServer(), attach: attachServer });',
    'ready',
  ],
  'without attach: ready() says so': [
    attached,
    'clusterWorker({ server: createServer() });',
    notAttached,
  ],
  'without a server: ready() says so': [attached, 'clusterWorker({});', notAttached],
  'whose workers listen is refused at once': ['', listening, shared],
} as const;

type Source = keyof typeof sources;
const names = scaled<readonly Source[]>({
  fast: ['that attaches its server is ready', 'whose workers listen is refused at once'],
  full: Object.keys(sources) as Source[],
});

test.each(names)('a cluster as source %s', async (name) => {
  const [options, entry, expected] = sources[name];
  const { program, message } = await start(options, entry);
  expect(message).toEqual(expected);
  expect(await once(program, 'exit')).toEqual([0, null]);
});
