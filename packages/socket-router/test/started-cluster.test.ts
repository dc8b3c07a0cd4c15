import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { execArgv, runsSources } from './worker-processes.ts';

const folder = new URL('.started/', import.meta.url);
const cluster = `../../../dispatch-cluster/${runsSources ? 'src/index.ts' : 'dist/index.js'}`;
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
const supervisor = startCluster({ entry, workers: 2, output: 'ignore', ${options} });
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
    /^Workers keep failing to start: Worker of slot `[01]` must attach its server: `clusterWorker\({ server, attach: attachServer }\)`$/,
  ),
  cause: expect.stringMatching(/^TypeError: Worker of slot `[01]` must attach its server/),
};
const shared =
  "TypeError: Cannot create router: `workers` must be a supervisor with `connections: 'external'`, got one whose workers listen themselves";
const listening = 'clusterWorker({ server: createServer(), listen: { port: 0 } });';

test.each([
  [
    'that attaches its server is ready',
    "connections: 'external'",
    'clusterWorker({ server: createServer(), attach: attachServer });',
    'ready',
  ],
  [
    'without attach: ready() says so',
    "connections: 'external'",
    'clusterWorker({ server: createServer() });',
    notAttached,
  ],
  [
    'without a server: ready() says so',
    "connections: 'external'",
    'clusterWorker({});',
    notAttached,
  ],
  ['whose workers listen is refused at once', '', listening, shared],
])('a cluster as source %s', { timeout: 60_000 }, async (_, options, entry, expected) => {
  const { program, message } = await start(options, entry);
  expect(message).toEqual(expected);
  expect(await once(program, 'exit')).toEqual([0, null]);
});
