import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicMs } from '../src/wire/monotonic-clock.ts';
import { Arrivals, arrivedAt } from '../src/worker/arrivals.ts';
import { type RouterChannel, RouterLink } from '../src/worker/router-link.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function openLink() {
  const heard: { kind: string; open?: number }[] = [];
  const channel = { connected: true, send: (message: { kind: string }) => heard.push(message) };
  const link = new RouterLink('router', channel as unknown as RouterChannel);
  let id = 0;
  const take = (arrivedAt?: number): Socket => {
    const socket = new Socket();
    id += 1;
    const times = {
      before: Number.POSITIVE_INFINITY,
      ...(arrivedAt !== undefined && { arrivedAt }),
    };
    link.claim({ kind: 'hand', id, ...times }, socket);
    return socket;
  };
  const said = (): string[] => heard.splice(0).map(({ kind, open }) => `${kind} ${open}`);
  return { link, channel, take, said };
}

test('a worker that keeps claiming reports its load with its claims alone, and once when it stops', () => {
  const { take, said } = openLink();
  take();
  for (let round = 0; round < 5; round++) {
    take().emit('close');
    vi.advanceTimersByTime(5);
    take().emit('close');
    vi.advanceTimersByTime(5);
  }
  expect(new Set(said())).toEqual(new Set(['claim 1', 'claim 2']));
  vi.advanceTimersByTime(20);
  expect(said()).toEqual(['load 1']);
  vi.advanceTimersByTime(1000);
  expect(said()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a count that the router has is not reported again', () => {
  const { take, said } = openLink();
  const first = take();
  vi.advanceTimersByTime(10);
  first.emit('close');
  take();
  expect(said()).toEqual(['claim 1', 'claim 1']);
  vi.advanceTimersByTime(1000);
  expect(said()).toEqual([]);
});

test('a link that retires waits for the router, but not for one that is gone', async () => {
  const { link, channel, said } = openLink();
  const retired = vi.fn();
  const waits = link.retire().then(retired);
  await Promise.resolve();
  expect([link.stage, said(), retired.mock.calls.length]).toEqual([
    'retiring',
    ['retire undefined'],
    0,
  ]);
  link.leave();
  await waits;
  expect(link.stage).toBe('left');
  // It has left: nothing is under way.
  await link.retire();
  const other = openLink();
  other.channel.connected = false;
  await other.link.retire();
  expect([other.link.stage, said(), other.said()]).toEqual(['left', [], []]);
  other.link.end();
  other.link.leave();
  expect([other.link.stage, channel.connected]).toEqual(['over', true]);
});

test('the first request on a connection has the time of its arrival, later ones do not', () => {
  const { link, take } = openLink();
  const arrivals = new Arrivals();
  const request = (socket: Socket): IncomingMessage => new IncomingMessage(socket);
  const before = performance.now();
  const [known, unknown] = [take(monotonicMs()), take()];
  const [first, second] = [request(known), request(known)];
  const others = [request(unknown), request(new Socket())];
  for (const each of [first, second, ...others]) arrivals.record(each);
  // The two clocks are read one after the other.
  expect(arrivedAt(first)).toBeGreaterThan(before - 1);
  expect(arrivedAt(first)).toBeLessThan(performance.now() + 1);
  expect([second, ...others].map((each) => arrivedAt(each))).toEqual(Array(3).fill(undefined));
  expect(arrivals.requests).toBe(4);
  expect(link.sockets.size).toBe(2);
});

test('a link lists its open sockets in the order of their arrival', () => {
  const { link, take } = openLink();
  const sockets = [take(), take(), take()];
  sockets[1]?.emit('close');
  expect([...link.sockets.keys()]).toEqual([sockets[0], sockets[2]]);
  for (const socket of sockets) socket.emit('close');
  expect([link.sockets.size, ...link.sockets.keys()]).toEqual([0]);
});
