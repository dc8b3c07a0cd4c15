import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type net from 'node:net';
import { text } from 'node:stream/consumers';
import { turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openPort, pass } from './held-port-fixture.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'hrtime'] }));
afterEach(() => void vi.useRealTimers());

/** Returns what a channel publishes until the test ends. */
function heardOn(event: string): unknown[] {
  const published: unknown[] = [];
  const note = (message: unknown): void => void published.push(message);
  subscribe(`ticketing:dispatch-cluster:${event}`, note);
  onTestFinished(() => void unsubscribe(`ticketing:dispatch-cluster:${event}`, note));
  return published;
}

test('without a worker maxWaiting connections wait, for waitMs at most', async () => {
  const published = heardOn('connection-dropped');
  const { port, join, connect } = await openPort({ maxWaiting: 2, waitMs: 1000 });
  await join(1);
  port.drop(1);
  const waiting = [await connect(), await connect()];
  const refused = await connect();
  await once(refused, 'close');
  expect([port.waiting, port.dropped]).toEqual([2, 1]);
  const closed = waiting.map((client) => once(client, 'close'));
  await pass(500);
  expect([port.waiting, port.dropped]).toEqual([2, 1]);
  await pass(500);
  expect([port.waiting, port.dropped]).toEqual([0, 3]);
  const dropped = ['full', 'late', 'late'].map((reason) => ({ name: 'cluster', reason }));
  expect(published).toEqual(dropped);
  // These clients have sent nothing, so they get no answer.
  await pass(1000);
  await Promise.all(closed);
});

const request = (method: string) =>
  `${method} / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf`;

/** Answers to clients that have waited too long, by their first bytes. */
async function refusals(texts: readonly string[], wait: (clients: net.Socket[]) => Promise<void>) {
  const { port, join, connect } = await openPort({ waitMs: 2000 });
  const worker = await join(1);
  const clients: net.Socket[] = [];
  const answers: Promise<string>[] = [];
  for (const sent of texts) {
    const client = await connect();
    client.pause();
    answers.push(text(client));
    client.write(Buffer.from(sent, 'latin1'));
    clients.push(client);
  }
  while (port.waiting < texts.length) await turns(1);
  await wait(clients);
  // No worker has answered either of them.
  expect(worker.heard.filter(({ kind }) => kind === 'claim')).toEqual([]);
  return { answers: await Promise.all(answers), port };
}

test('a client whose connection no worker claims within waitMs gets 503 with Retry-After, also while a worker has it', async () => {
  const { answers, port } = await refusals(
    [request('GET'), request('POST'), request('HEAD')],
    async () => pass(2000),
  );
  const [get, post, head] = answers;
  expect(get).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(get).toContain('\r\nRetry-After: 1\r\n');
  expect(get).toContain('"status":503');
  expect(post).toBe(get);
  expect(head).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\n\r\n$/);
  expect([port.waiting, port.dropped]).toEqual([0, 3]);
});

test('a client that speaks TLS or HTTP/2 gets no answer that it cannot read', async () => {
  const { answers } = await refusals(
    ['\x16\x03\x01\x02\x00\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    async () => pass(2000),
  );
  expect(answers).toEqual(['', '']);
});

test('a connection that a worker does not claim in time goes to another, and that worker gets no more', async () => {
  const { port, join, connect } = await openPort();
  const stopped = await join(1);
  await connect();
  const { id } = await stopped.hears('hand');
  await connect();
  const other = await join(2);
  const second = await other.hears('hand');
  port.hear(2, { kind: 'claim', id: second['id'] as number }, undefined);
  await pass(1250);
  const first = await other.hears('hand');
  expect(first['id']).not.toBe(second['id']);
  port.hear(2, { kind: 'claim', id: first['id'] as number }, undefined);
  expect(port.waiting).toBe(0);
  // The worker wakes up and declines as too late; from here on it gets connections again.
  await connect();
  await other.hears('hand');
  await connect();
  port.hear(1, { kind: 'decline', id: id as number, why: 'late' }, undefined);
  expect((await stopped.hears('hand'))['id']).not.toBe(id);
});

test('connections that a dead worker had not claimed go to its successor', async () => {
  const { port, join, connect } = await openPort();
  const first = await join(1);
  const client = await connect();
  await first.hears('hand');
  first.emit('exit');
  const successor = await join(2);
  port.drop(1);
  const { id } = await successor.hears('hand');
  expect(port.waiting).toBe(1);
  port.hear(2, { kind: 'claim', id: id as number }, undefined);
  // The worker would have a copy of its own, which is missing in this test.
  await once(client, 'close');
  expect(port.dropped).toBe(0);
});

test('a worker whose handles were lost gets others, and is replaced if it never claims one', async () => {
  const { port, join, connect } = await openPort();
  const worker = await join(1);
  await connect();
  const ids: unknown[] = [];
  while (worker.heard.at(-1)?.['kind'] !== 'replace') {
    const kind = worker.heard.at(-1)?.['kind'];
    const id = worker.heard.at(-1)?.['id'];
    if (kind === 'hand' && !ids.includes(id)) ids.push(id);
    if (kind === 'ping') port.hear(1, { kind: 'pong', id: id as number }, undefined);
    else await pass(250);
  }
  expect(ids.length).toBeGreaterThan(1);
  expect([port.wedged, port.waiting]).toEqual([1, 1]);
});

test('a worker is wedged once it has claimed nothing for claimTimeoutMs, and no earlier', async () => {
  const published = heardOn('worker-wedged');
  const { port, join, connect } = await openPort({ claimTimeoutMs: 4000 });
  const worker = await join(1);
  await connect();
  await worker.hears('hand');
  // The worker lives, and claims nothing.
  const live = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      await pass(250);
      port.heard(1);
    }
  };
  await live(3750);
  expect([port.wedged, worker.heard.some(({ kind }) => kind === 'replace')]).toEqual([0, false]);
  await live(500);
  expect([port.wedged, worker.heard.some(({ kind }) => kind === 'replace')]).toEqual([1, true]);
  expect(published).toEqual([{ name: 'cluster', workerId: 1 }]);
});

test('a worker that was heard for less than half of claimTimeoutMs since its last claim is not reported as wedged', async () => {
  const { port, join, connect } = await openPort({ claimTimeoutMs: 4000 });
  const worker = await join(1);
  await connect();
  await worker.hears('hand');
  await pass(1750);
  port.heard(1);
  await pass(5000);
  expect(port.wedged).toBe(0);
  port.heard(1);
  await pass(250);
  expect(port.wedged).toBe(1);
});

test('a worker that claims again after a lost handle stays; a silent one is not reported as wedged', async () => {
  const { port, join, connect } = await openPort();
  const worker = await join(1);
  await connect();
  await worker.hears('hand');
  await pass(1250);
  const { id } = await worker.hears('ping');
  // The worker is silent, so its heartbeat decides.
  await pass(10_000);
  expect(port.wedged).toBe(0);
  port.hear(1, { kind: 'pong', id: id as number }, undefined);
  const again = await worker.hears('hand');
  port.hear(1, { kind: 'claim', id: again['id'] as number }, undefined);
  await pass(10_000);
  expect([port.wedged, port.waiting, port.dropped]).toEqual([0, 0, 0]);
});

test('after a long wait the newest connection is handed over first', async () => {
  const { port, join, connect } = await openPort();
  const child = await join(1);
  const clients: net.Socket[] = [];
  while (clients.length < 5) clients.push(await connect());
  while (port.waiting < clients.length) await turns(1);
  const order: (number | undefined)[] = [];
  const claim = async () => {
    const { id } = await child.hears('hand');
    order.push(clients.findIndex(({ localPort }) => localPort === child.handed));
    port.hear(1, { kind: 'claim', id: id as number }, undefined);
  };
  await claim();
  await pass(250);
  await claim();
  await pass(250);
  for (let left = 3; left > 0; left--) await claim();
  expect(order).toEqual([0, 1, 2, 4, 3]);
});
