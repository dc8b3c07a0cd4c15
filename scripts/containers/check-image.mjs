// What must hold of the demo's image: each check starts a container of it, and leaves none.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../shared/beside.mjs';
import { execInRoot, processesBelow, startInRoot } from './root-process.mjs';
import { until, within } from './waits.mjs';

const SEARCH = '/search?origin=Madrid&destination=Barcelona';
/** What the image needs besides its root. */
const WRITABLE = [['tmpfs', 'tmpfs', '/tmp']];
const certificates = fileURLToPath(new URL('../../apps/demo-server/test/tls', import.meta.url));

/** The checks by name. */
export const checkImage = {
  'answers a search as its user on a read-only root; SIGTERM lets it finish a stream': (image) =>
    withContainer(image, { ACCEPT: 'socket', WORKERS: '2', LATENCY: '300' }, async (container) => {
      await search(container);
      const own = processesBelow(container.pid);
      assert.ok(own.length >= 4, 'tini, a primary and two server processes');
      for (const { pid, command } of own) {
        assert.deepEqual(
          idsOf(pid),
          { user: image.user[0], group: image.user[1], capabilities: 0 },
          command,
        );
      }
      const { status } = execInRoot(container.pid, ['/bin/sh', '-c', 'true'], {});
      assert.notEqual(status, 0, 'the root has no shell');
      const response = await fetch(`${container.url}${SEARCH}&maxTransfers=1`, {
        headers: { accept: 'application/x-ndjson' },
      });
      const events = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let { value: text } = await events.read();
      assert.match(text, /search-started/);
      assert.doesNotMatch(text, /search-done/, 'the search is in flight');
      const ended = stop(image, container);
      for (let part = await events.read(); !part.done; part = await events.read())
        text += part.value;
      assert.match(text, /search-done/, 'what is in flight is answered');
      await ended;
      await assert.rejects(fetch(`${container.url}/healthz`), 'nothing listens any more');
    }),

  'needs no writable folder without a router': (image) =>
    withContainer(
      image,
      { ACCEPT: 'cluster', WORKERS: '2', DISPATCH: 'fork', DISPATCH_WORKERS: '1' },
      async (container) => {
        await search(container);
        await stop(image, container);
      },
      [],
    ),

  'is healthy while it answers, not while it hangs, nor before it listens': (image) =>
    withContainer(image, { ACCEPT: 'single' }, async (container) => {
      assert.deepEqual(healthOf(image, container), { code: 0, stderr: '' });
      const processes = processesBelow(container.pid)
        .map(({ pid }) => pid)
        // `unshare` stops itself with process 1.
        .filter((pid) => pid !== container.pid);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      const hanging = healthOf(image, container);
      for (const pid of processes) process.kill(pid, 'SIGCONT');
      assert.equal(hanging.code, 1);
      assert.match(hanging.stderr, /no answer within 2000 ms/);
      assert.equal(healthOf(image, container).code, 0, 'it is healthy again');
      const elsewhere = { ...container.env, PORT: String(await freePort()) };
      const closed = healthOf(image, { pid: container.pid, env: elsewhere });
      assert.equal(closed.code, 1);
      assert.match(closed.stderr, /ECONNREFUSED/);
    }),

  'is healthy over TLS': (image) =>
    withContainer(
      image,
      { TLS_CERT: '/tls/cert.pem', TLS_KEY: '/tls/key.pem' },
      async (container) => {
        assert.deepEqual(healthOf(image, container), { code: 0, stderr: '' });
      },
      [...WRITABLE, ['read', certificates, '/tls']],
    ),

  'waits for processes without a parent; SIGHUP replaces workers': (image) =>
    withContainer(
      image,
      { ACCEPT: 'cluster', WORKERS: '2', DISPATCH: 'fork', DISPATCH_WORKERS: '1' },
      async (container) => {
        // So that each server process has the workers of its tasks.
        await until('workers of tasks', async () => {
          await search(container);
          return pidsOf(container, 'dispatch-fork-worker').length >= 2;
        });
        const [server] = pidsOf(container, 'serving-worker');
        const orphans = processesBelow(server).map(({ pid }) => pid);
        assert.ok(orphans.length > 1, 'the server process has a worker');
        process.kill(server, 'SIGKILL');
        await until('successor', () => {
          const left = processesBelow(container.pid);
          const isClean = left.every(({ pid, state }) => state !== 'Z' && !orphans.includes(pid));
          return isClean && pidsOf(container, 'serving-worker').length === 2;
        });
        const before = pidsOf(container, 'serving-worker');
        process.kill(container.pid, 'SIGHUP');
        await until('new server processes', () => {
          const now = pidsOf(container, 'serving-worker');
          return now.length === 2 && now.every((pid) => !before.includes(pid));
        });
        await search(container);
        await stop(image, container);
      },
    ),
};

/** Starts the image, runs a check of it, and ends all its processes. */
async function withContainer(image, env, check, mounts = WRITABLE) {
  const port = await freePort();
  const variables = { ...image.env, DEADLINE_MS: '10000', ...env, PORT: String(port) };
  const started = await startInRoot([...image.entrypoint, ...image.command], {
    root: image.root,
    folder: image.folder,
    env: variables,
    user: image.user,
    readOnly: true,
    mounts,
  });
  try {
    await within(started.printed(/^processes /m), 'start');
    const { pid, ended } = started;
    await check({ pid, ended, env: variables, url: `http://127.0.0.1:${port}` });
  } catch (error) {
    throw new Error(`${error.message}\n${started.output()}`, { cause: error });
  } finally {
    started.destroy();
    await started.ended;
  }
}

async function search({ url }) {
  const response = await fetch(url + SEARCH);
  assert.equal(response.status, 200, 'a search is answered');
  const { journeys } = await response.json();
  assert.ok(journeys.length > 0, 'a search has journeys');
}

/** Runs the image's health check in the container. */
function healthOf({ health, user }, { pid, env }) {
  const options = { env, user, timeoutMs: health.timeoutMs };
  const { status, stderr } = execInRoot(pid, health.command, options);
  return { code: status, stderr };
}

/** Sends the signal by which engines stop the image; resolves when it has ended with 0, and all its processes. */
async function stop({ stopSignal }, { pid, ended }) {
  process.kill(pid, stopSignal);
  assert.equal(await within(ended, 'end'), 0, 'it ends with 0');
}

const pidsOf = ({ pid }, program) =>
  processesBelow(pid)
    .filter(({ command }) => command.includes(`${program}.js`))
    .map((each) => each.pid);

function idsOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const wordOf = (name) => new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(status)[1];
  return {
    user: Number(wordOf('Uid')),
    group: Number(wordOf('Gid')),
    capabilities: Number.parseInt(wordOf('CapEff'), 16),
  };
}
