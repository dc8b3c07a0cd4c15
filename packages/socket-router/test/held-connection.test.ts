import { Socket } from 'node:net';
import { LinkedList } from '@ticketing/kit';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  finish,
  type HeldConnection,
  holdConnection,
  limit,
  queue,
  read,
  receive,
  send,
  type Waiting,
  wait,
} from '../src/placing/held-connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const STEPS = ['read', 'first', 'second', 'queue', 'send', 'finish'] as const;

test('a held connection is in one list while it waits, and in none once it is finished', () => {
  const oneOfEach = fc.tuple(fc.nat(2), fc.constantFrom(...STEPS));
  fc.assert(
    fc.property(fc.array(oneOfEach, { maxLength: 40 }), (steps) => {
      const lists = { first: new LinkedList<Waiting>(), second: new LinkedList<Waiting>() };
      const all = [0, 1, 2].map((id) => holdConnection(id, new Socket()));
      const expected = all.map(() => ({ kind: 'reading', attempts: 0, isDone: false }));
      const order: { readonly id: number; readonly list: string }[] = [];
      for (const [id, step] of steps) {
        const connection = all[id] as HeldConnection;
        const model = expected[id] as { kind: string; attempts: number; isDone: boolean };
        if (step === 'first' || step === 'second')
          wait(connection, { waiters: lists[step], since: id });
        else if (step === 'read') read(connection, {});
        else if (step === 'queue') queue(connection, id);
        else if (step === 'send') send(connection);
        else finish(connection);
        if (step === 'send') model.attempts += 1;
        if (model.isDone) continue;
        const at = order.findIndex((entry) => entry.id === id);
        if (at !== -1) order.splice(at, 1);
        if (step === 'first' || step === 'second') order.push({ id, list: step });
        model.isDone = step === 'finish';
        const kinds = { read: 'read', queue: 'queued', send: 'sent', finish: 'done' };
        model.kind = step === 'first' || step === 'second' ? 'waiting' : kinds[step];
      }
      expect(all.map(({ stage, attempts }) => [stage.kind, attempts])).toEqual(
        expected.map(({ kind, attempts }) => [kind, attempts]),
      );
      for (const list of ['first', 'second'] as const) {
        const waiting = order.filter((entry) => entry.list === list).map(({ id }) => id);
        expect([...lists[list]].map(({ connection }) => connection.id)).toEqual(waiting);
        expect([...lists[list]].map(({ since }) => since)).toEqual(waiting);
      }
    }),
  );
});

test('a held connection has one limit at a time, and none when it is finished', () => {
  const connection = holdConnection(1, new Socket());
  const expired: string[] = [];
  limit(connection, 10, () => expired.push('head'));
  limit(connection, 20, () => expired.push('worker'));
  vi.advanceTimersByTime(19);
  expect([expired, vi.getTimerCount()]).toEqual([[], 1]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(['worker']);
  limit(connection, 10, () => expired.push('late'));
  finish(connection);
  expect(vi.getTimerCount()).toBe(0);
});

test('a held connection has its state after each read', () => {
  const connection = holdConnection(1, new Socket());
  const end = { address: '192.0.2.1', port: 1 };
  const proxy = { source: end, destination: end };
  expect(connection).toMatchObject({ hasHead: false, speaksTls: false, proxy: undefined });
  receive(connection, Buffer.from('G'));
  expect([connection.bytes.toString(), connection.stage.kind]).toEqual(['G', 'reading']);
  read(connection, { bytes: Buffer.from('GET'), hasHead: true, speaksTls: true, proxy });
  expect(connection).toMatchObject({ hasHead: true, speaksTls: true, proxy });
  expect(connection.bytes.toString()).toBe('GET');
  const unread = holdConnection(2, new Socket());
  read(unread, {});
  expect([unread.bytes.length, unread.hasHead, unread.speaksTls]).toEqual([0, false, false]);
});
