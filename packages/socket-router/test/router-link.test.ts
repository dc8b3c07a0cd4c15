import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
    link.take({ kind: 'hand', id, ...times }, socket);
    return socket;
  };
  const said = (): string[] => heard.splice(0).map(({ kind, open }) => `${kind} ${open}`);
  return { link, take, said };
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

test('the time of arrival of a connection is given once', () => {
  const { link, take } = openLink();
  const [known, unknown] = [take(5), take()];
  expect([known, unknown, new Socket()].map((socket) => link.firstArrival(socket))).toEqual([
    5,
    undefined,
    undefined,
  ]);
  expect(link.firstArrival(known)).toBeUndefined();
  expect(link.sockets.size).toBe(2);
});
