import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Route } from '../src/index.ts';
import { homeSlot } from '../src/worker/forwarding.ts';
import { ask, askWorker, oneConnection, open, workerReplyIn } from './clients.ts';
import { openRouter, slotsIn } from './router-fixture.ts';

const modes = ['socket', 'passthru'] as const;

/** Sends a request on a connection that stays open, and resolves with the pid that answers. */
async function join(port: number, path = '/'): Promise<{ pid: number; socket: Socket }> {
  const socket = await open(port);
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  return { pid: workerReplyIn(String(answer)).pid, socket };
}

async function pidsOfMembers(port: number, members: number): Promise<Set<number>> {
  const pids = new Set<number>();
  for (let member = 0; member < members; member++) pids.add((await join(port)).pid);
  return pids;
}

test('mode socket: 40 members of one room are in one process, the only room of an idle server', async () => {
  const { port } = await openRouter({ count: 4, route: () => ({ key: 'room' }) });
  expect((await pidsOfMembers(port, 40)).size).toBe(1);
});

test('mode passthru: 40 requests of one key that last are in one process', async () => {
  const { port, router } = await openRouter({
    count: 4,
    mode: 'passthru',
    route: () => ({ key: 'room' }),
  });
  for (let member = 0; member < 40; member++) {
    const socket = await open(port);
    onTestFinished(() => void socket.destroy());
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
  }
  const busy = router.stats().workers.filter(({ open }) => open > 0);
  expect(busy.map(({ open }) => open)).toEqual([40]);
});

test('balance.loadFactor opts in to a bound: member 9 of a room is in another process', async () => {
  const balance = { loadFactor: 1.25 };
  const { port } = await openRouter({ count: 2, balance, route: () => ({ key: 'room' }) });
  expect((await pidsOfMembers(port, 8)).size).toBe(1);
  expect((await pidsOfMembers(port, 1)).size).toBe(1);
  expect((await pidsOfMembers(port, 7)).size).toBe(2);
});

const SLOTS = ['0', '1', '2', '3'];
const [STABLE, CANARY] = [['0', '1', '2'], '3'];
/** A key that belongs to the canary's slot, unless that is kept free. */
const ofCanary = Array.from({ length: 100 }, (_, index) => `key-${index}`).find(
  (key) => homeSlot(key, SLOTS) === CANARY,
) as string;

const canaries = ({ target = '' }): Route =>
  target === '/canary' ? { slot: CANARY } : { key: target.slice(1), among: STABLE };

test.each(modes)('mode %s: keys stay among their slots; the others are free', async (mode) => {
  const { port, router } = await openRouter({ mode, count: 4, route: canaries });
  const slotOf = slotsIn(router);
  const keys = [ofCanary, ...Array.from({ length: 40 }, (_, index) => `key-${index}`)];
  for (const key of keys) {
    const { pid } = await askWorker(port, { path: `/${key}` });
    expect(slotOf(pid)).toBe(homeSlot(key, STABLE));
  }
  expect(slotOf((await askWorker(port, { path: '/canary' })).pid)).toBe(CANARY);
});

test('laterRequests forward: a later request on a connection stays among the slots of its key', async () => {
  const { port, router } = await openRouter({
    count: 4,
    laterRequests: 'forward',
    route: canaries,
    env: { ROUTE: 'canaries' },
  });
  const slotOf = slotsIn(router);
  const agent = oneConnection();
  onTestFinished(() => agent.destroy());
  const asked = ['canary', ofCanary, 'key-1', 'canary', 'key-2', ofCanary, 'key-1'];
  for (const path of asked) {
    const { pid } = await askWorker(port, { agent, path: `/${path}` });
    expect(slotOf(pid)).toBe(path === 'canary' ? CANARY : homeSlot(path, STABLE));
  }
});

test.each(modes)(
  'mode %s: no slot, an unknown slot and what is no list of slots are refused',
  async (mode) => {
    const routes: Record<string, unknown> = {
      '/none': { key: 'a', among: [] },
      '/unknown': { key: 'a', among: ['0', '7'] },
      '/text': { key: 'a', among: '0' },
      '/numbers': { key: 'a', among: [0] },
      '/undefined': { key: 'a', among: undefined },
    };
    const { port, router } = await openRouter({
      mode,
      count: 1,
      route: ({ target = '' }) => routes[target] as Route,
    });
    const refused: unknown[] = [];
    router.on('refused', (data) => refused.push(data));
    const statuses = [];
    for (const path of Object.keys(routes)) statuses.push((await ask(port, { path })).status);
    expect(statuses).toEqual([500, 503, 500, 500, 200]);
    expect(refused).toEqual([
      { status: 500, reason: 'among-empty' },
      { status: 503, reason: 'slot-unknown' },
      { status: 500, reason: 'among-is-no-list-of-texts' },
      { status: 500, reason: 'among-is-no-list-of-texts' },
    ]);
  },
);

test('laterRequests forward: a missing slot is refused with 503, not answered by another', async () => {
  const { port } = await openRouter({
    count: 2,
    laterRequests: 'forward',
    route: () => ({ slot: '0' }),
    env: { ROUTE: 'canaries' },
  });
  const agent = oneConnection();
  onTestFinished(() => agent.destroy());
  expect((await ask(port, { agent })).status).toBe(200);
  // For the worker `/canary` is slot 3, of which there is none.
  const { status, headers } = await ask(port, { agent, path: '/canary' });
  expect([status, headers['retry-after']]).toEqual([503, '1']);
});
