import { connect, type NatsConnection } from '@nats-io/transport-node';
import { systemClock } from '@ticketing/dispatch';
import {
  createManualClock,
  type EngineServer,
  engineProgram,
  startNatsServer,
  turns,
  until,
} from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsLike, NatsMessage } from '../src/contract/nats-like.ts';
import { createMemoryNats, matches } from './memory-nats.ts';

const text = (message: NatsMessage) => `${message.subject} ${Buffer.from(message.data)}`;

/** Behaviour that both servers must share. */
function promises(connections: (noEcho?: boolean) => Promise<NatsLike>) {
  it('delivers what a subscription matches, in the order of its sender, never at once', async () => {
    const [one, other] = [await connections(), await connections()];
    const got: string[] = [];
    const subscribe = (subject: string) =>
      other.subscribe(subject, { callback: (_, each) => got.push(`${subject}: ${text(each)}`) });
    const subscriptions = ['a.b', 'a.*', 'a.>', '*.b.c'].map(subscribe);
    await other.flush();
    for (const subject of ['a.b', 'a', 'a.b.c', 'a.c', 'b']) one.publish(subject, Buffer.from('!'));
    expect(got).toEqual([]);
    await one.flush();
    await other.flush();
    expect(got.sort()).toEqual(
      ['*.b.c: a.b.c !', 'a.*: a.b !', 'a.*: a.c !', 'a.>: a.b !', 'a.>: a.b.c !', 'a.>: a.c !']
        .concat('a.b: a.b !')
        .sort(),
    );
    for (let each = 0; each < 100; each += 1) one.publish('a', Buffer.from(String(each)));
    for (const subscription of subscriptions) subscription.unsubscribe();
    await Promise.all([one.close(), other.close()]);
  });

  it('gives a message to one of a queue group, and to all others', async () => {
    const [one, other] = [await connections(), await connections()];
    const got: string[] = [];
    const callback = (name: string) => ({ callback: () => got.push(name) });
    one.subscribe('q', { queue: 'hosts', ...callback('group') });
    other.subscribe('q', { queue: 'hosts', ...callback('group') });
    other.subscribe('q', { queue: 'more', ...callback('more') });
    other.subscribe('q', { ...callback('plain') });
    await Promise.all([one.flush(), other.flush()]);
    one.publish('q');
    await one.flush();
    await other.flush();
    expect(got.sort()).toEqual(['group', 'more', 'plain']);
    await Promise.all([one.close(), other.close()]);
  });

  it('answers with 503 when nobody listens, which a connection without echo does not to itself', async () => {
    const one = await connections(true);
    const got: (number | undefined)[] = [];
    one.subscribe('inbox', { callback: (_, { headers }) => got.push(headers?.code) });
    one.subscribe('own', { callback: () => got.push(0) });
    one.publish('nobody', undefined, { reply: 'inbox' });
    one.publish('own', undefined, { reply: 'inbox' });
    one.publish('nobody');
    await one.flush();
    expect(got).toEqual([503, 503]);
    await one.close();
  });

  it('refuses what is too large, and everything once it is closed', async () => {
    const one = await connections();
    expect(() => one.publish('a', Buffer.alloc((one.info?.max_payload ?? 0) + 1))).toThrow(/size/);
    await one.close();
    expect(one.isClosed()).toBe(true);
    expect(() => one.publish('a')).toThrow(/closed/i);
    await expect(one.flush()).rejects.toThrow(/closed/i);
  });

  it('ends its iterators of status when it is closed', async () => {
    const one = await connections();
    const types: string[] = [];
    const read = (async () => {
      for await (const { type } of one.status()) types.push(type);
    })();
    await one.close();
    await read;
    expect(types).toContain('close');
  });

  it('drains a subscription: what was sent before still arrives', async () => {
    const [one, other] = [await connections(), await connections()];
    let got = 0;
    const subscription = other.subscribe('d', {
      callback: () => {
        got += 1;
      },
    });
    await other.flush();
    for (let each = 0; each < 10; each += 1) one.publish('d');
    await one.flush();
    await subscription.drain();
    expect(got).toBe(10);
    one.publish('d');
    await one.flush();
    await other.flush();
    expect(got).toBe(10);
    await Promise.all([one.close(), other.close()]);
  });
}

describe('a connection in memory', () => {
  const nats = createMemoryNats({ clock: systemClock });
  promises(async (noEcho = false) => nats.connect({ noEcho }));

  it('loses what is published while disconnected, in silence, and keeps its subscriptions', async () => {
    const [one, other] = [nats.connect(), nats.connect()];
    const got: string[] = [];
    one.subscribe('x', { callback: (_, each) => got.push(text(each)) });
    other.publish('x', Buffer.from('under way'));
    one.disconnect();
    one.publish('x', Buffer.from('lost'));
    expect((await other.request('x')).headers?.code).toBe(503);
    one.reconnect();
    one.publish('x', Buffer.from('back'));
    await one.flush();
    expect(got).toEqual(['x back']);
    await Promise.all([one.close(), other.close()]);
  });

  it('holds what passes a stalled connection, which the server still counts as there', async () => {
    const [one, other] = [nats.connect(), nats.connect()];
    const got: string[] = [];
    one.subscribe('x', { callback: (_, each) => got.push(text(each)) });
    one.stall();
    other.publish('x', Buffer.from('1'));
    other.publish('x', Buffer.from('2'));
    await turns();
    expect(got).toEqual([]);
    one.resume();
    await turns();
    expect(got).toEqual(['x 1', 'x 2']);
    await Promise.all([one.close(), other.close()]);
  });

  it('drops, doubles and delays as it is told, by a clock', async () => {
    const clock = createManualClock();
    const slow = createMemoryNats({ clock });
    const one = slow.connect();
    const got: string[] = [];
    one.subscribe('>', { callback: (_, each) => got.push(each.subject) });
    slow.passage = (subject) =>
      subject === 'a' ? 'drop' : subject === 'b' ? 'twice' : { delayMs: 20 };
    for (const subject of ['c', 'a', 'b']) one.publish(subject);
    await turns();
    clock.advance(19);
    await turns();
    expect(got).toEqual([]);
    clock.advance(1);
    await turns();
    expect(got).toEqual(['c', 'b', 'b']);
    await one.close();
    expect(clock.pending + slow.subscriptions + one.listeners).toBe(0);
  });
});

describe.skipIf(engineProgram('nats') === undefined)('a connection to a server', () => {
  let server: EngineServer;
  const open: NatsConnection[] = [];
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(async () => {
    await Promise.all(open.map((each) => each.close()));
    await server.close();
  });
  promises(async (noEcho = false) => {
    const connection = await connect({ servers: server.url, noEcho });
    open.push(connection);
    return connection as unknown as NatsLike;
  });
  it('leaves no connection behind', () => until(() => open.every((each) => each.isClosed())));
});

it.each([
  ['a.b', 'a.b', true],
  ['a.*', 'a.b', true],
  ['a.*', 'a.b.c', false],
  ['a.>', 'a.b.c', true],
  ['a.>', 'a', false],
  ['*.*', 'a.b', true],
  ['>', 'a.b.c', true],
  ['a', 'b', false],
])('matches(%j, %j) is %j', (pattern, subject, expected) => {
  expect(matches(pattern, subject)).toBe(expected);
});
