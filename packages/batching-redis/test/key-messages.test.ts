// Which commands are sent, over which connection, and what is left at the end: by a client without a server.
import { describe, expect, test, vi } from 'vitest';
import { createKeyMessages, type KeyMessages } from '../src/key-messages.ts';
import type { RedisClient } from '../src/redis-client.ts';
import { FakeClient } from './fake-client.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function messagesOf(client: FakeClient): KeyMessages {
  return createKeyMessages(client as unknown as RedisClient);
}

function subscriberOf(client: FakeClient): FakeClient {
  expect(client.duplicates).toHaveLength(1);
  return client.duplicates[0]?.client as FakeClient;
}

describe('of one server', () => {
  test('nothing is opened before a caller waits; then one connection for all, that queues commands until it is there', async () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    expect(messages.publish).toBe('PUBLISH');
    expect(client.duplicates).toEqual([]);
    const one = messages.listen('a', vi.fn());
    const another = messages.listen('b', vi.fn());
    await Promise.all([one.ready, another.ready]);
    const subscriber = subscriberOf(client);
    expect(client.duplicates[0]?.override).toEqual({
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
    });
    expect(subscriber.take()).toEqual([
      ['subscribe', 'a'],
      ['subscribe', 'b'],
    ]);
    expect(client.sent).toEqual([]);
    expect(client.listening).toEqual({});
    expect(subscriber.listening).toEqual({ message: 1, close: 1, ready: 1, error: 1, end: 1 });
  });

  test('a message wakes waiters of its channel alone', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const [a, b] = [vi.fn(), vi.fn()];
    messages.listen('a', a);
    messages.listen('b', b);
    subscriberOf(client).emit('message', 'a', '');
    subscriberOf(client).emit('message', 'of others', '');
    expect([a, b].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  });

  test('who stops is woken no more, once, and the channel is left', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const [wake, other] = [vi.fn(), vi.fn()];
    const listening = messages.listen('a', wake);
    messages.listen('b', other);
    const subscriber = subscriberOf(client);
    subscriber.take();
    listening.stop();
    listening.stop();
    expect(subscriber.take()).toEqual([['unsubscribe', 'a']]);
    subscriber.emit('message', 'a', '');
    subscriber.emit('message', 'b', '');
    expect([wake, other].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  test('who stopped and is followed by another on the channel does not end that one', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const [before, after] = [vi.fn(), vi.fn()];
    const first = messages.listen('a', before);
    messages.listen('a', after);
    const subscriber = subscriberOf(client);
    subscriber.take();
    first.stop();
    expect(subscriber.take()).toEqual([]);
    subscriber.emit('message', 'a', '');
    expect([before, after].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  test('a connection that is lost wakes all; once it is back they are subscribed anew, and look again', async () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const [a, b] = [vi.fn(), vi.fn()];
    messages.listen('a', a);
    messages.listen('b', b);
    const subscriber = subscriberOf(client);
    const wakes = () => [a, b].map(({ mock }) => mock.calls.length);
    subscriber.take();
    subscriber.emit('ready');
    await settle();
    // The first time nothing was lost: the commands wait in the client.
    expect([subscriber.take(), wakes()]).toEqual([[], [0, 0]]);
    subscriber.emit('close');
    expect([subscriber.take(), wakes()]).toEqual([[], [1, 1]]);
    subscriber.emit('ready');
    expect(wakes()).toEqual([1, 1]);
    await settle();
    expect([subscriber.take(), wakes()]).toEqual([[['subscribe', 'a', 'b']], [2, 2]]);
  });

  test('a connection that was there at once has lost messages when it is ready again', async () => {
    const client = new FakeClient();
    client.duplicate = () => {
      const subscriber = FakeClient.prototype.duplicate.call(client);
      subscriber.status = 'ready';
      return subscriber;
    };
    const wake = vi.fn();
    messagesOf(client).listen('a', wake);
    subscriberOf(client).emit('ready');
    await settle();
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('a connection that is back sends nothing if no caller is waiting', async () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    messages.listen('a', vi.fn()).stop();
    const subscriber = subscriberOf(client);
    subscriber.emit('ready');
    subscriber.take();
    subscriber.emit('close');
    subscriber.emit('ready');
    await settle();
    expect(subscriber.take()).toEqual([]);
  });

  test('commands that fail reject nowhere, and wake none; errors of the connection are ignored', async () => {
    const client = new FakeClient();
    const fails = () => Promise.reject(new Error('no'));
    Object.assign(client.replies, { subscribe: fails, unsubscribe: fails });
    const messages = messagesOf(client);
    const wake = vi.fn();
    const listening = messages.listen('a', wake);
    await listening.ready;
    const subscriber = subscriberOf(client);
    subscriber.emit('error', new Error('refused'));
    subscriber.emit('ready');
    subscriber.emit('ready');
    await settle();
    listening.stop();
    await settle();
    expect(wake).not.toHaveBeenCalled();
  });

  test('a connection that has ended is followed by another for the next waiter, and for waiters that still wait', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const [a, b] = [vi.fn(), vi.fn()];
    const first = messages.listen('a', a);
    const ended = subscriberOf(client);
    ended.emit('end');
    expect(ended.listening).toEqual({ error: 1, end: 1 });
    messages.listen('b', b);
    const next = client.duplicates[1]?.client as FakeClient;
    expect(next.take()).toEqual([['subscribe', 'a', 'b']]);
    next.emit('message', 'a', '');
    expect(a).toHaveBeenCalledTimes(1);
    first.stop();
    expect(next.take()).toEqual([['unsubscribe', 'a']]);
    expect(client.duplicates).toHaveLength(2);
  });

  test('who stops after the connection has ended opens none', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const listening = messages.listen('a', vi.fn());
    subscriberOf(client).emit('end');
    listening.stop();
    expect(client.duplicates).toHaveLength(1);
  });

  test('close() ends the connection and its listeners, once; the given client lives', () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    const wake = vi.fn();
    const listening = messages.listen('a', wake);
    const subscriber = subscriberOf(client);
    subscriber.take();
    messages.close();
    listening.stop();
    subscriber.emit('message', 'a', '');
    subscriber.emit('close');
    subscriber.emit('ready');
    expect(wake).not.toHaveBeenCalled();
    expect(subscriber.take()).toEqual([]);
    expect([subscriber.disconnects, client.disconnects]).toEqual([1, 0]);
    // An error that comes while it closes must not end the process.
    expect(subscriber.listening).toEqual({ error: 1, end: 1 });
    messages.close();
    expect(subscriber.disconnects).toBe(1);
  });

  test('close() without a caller that waited opens nothing, nor does who comes later', async () => {
    const client = new FakeClient();
    const messages = messagesOf(client);
    messages.close();
    const late = messages.listen('a', vi.fn());
    await late.ready;
    late.stop();
    expect([client.duplicates, client.sent, client.disconnects]).toEqual([[], [], 0]);
  });
});

describe.each([
  [
    'by any node',
    {},
    { event: 'message', publish: 'PUBLISH', on: 'subscribe', off: 'unsubscribe' },
  ],
  [
    'by the nodes of a key',
    { shardedSubscribers: true },
    { event: 'smessage', publish: 'SPUBLISH', on: 'ssubscribe', off: 'sunsubscribe' },
  ],
] as const)('of a cluster, %s', (_label, options, { event, publish, on, off }) => {
  test('the given client subscribes, and gets back what was asked of it', async () => {
    const client = new FakeClient({ isCluster: true, options });
    client.setMaxListeners(20);
    client.on('error', () => {});
    const messages = messagesOf(client);
    expect(messages.publish).toBe(publish);
    const [a, b] = [vi.fn(), vi.fn()];
    const first = messages.listen('a', a);
    const second = messages.listen('b', b);
    await Promise.all([first.ready, second.ready]);
    expect(client.duplicates).toEqual([]);
    expect(client.take()).toEqual([
      [on, 'a'],
      [on, 'b'],
    ]);
    expect(client.listening).toEqual({ error: 1, [event]: 1, close: 1, ready: 1 });
    client.emit(event, 'a', '');
    expect([a, b].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    first.stop();
    expect(client.take()).toEqual([[off, 'a']]);
    messages.close();
    second.stop();
    expect(client.take()).toEqual([[off, 'b']]);
    expect(client.listening).toEqual({ error: 1 });
    expect(client.disconnects).toBe(0);
  });

  test('a client that is ready already: messages may have been lost when the client is ready again', async () => {
    const client = new FakeClient({ isCluster: true, options });
    const wake = vi.fn();
    messagesOf(client).listen('a', wake);
    client.take();
    client.emit('ready');
    await settle();
    expect(client.take()).toEqual([[on, 'a']]);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('commands that fail reject nowhere', async () => {
    const client = new FakeClient({ isCluster: true, options });
    const fails = () => Promise.reject(new Error('no'));
    Object.assign(client.replies, { [on]: fails, [off]: fails });
    const messages = messagesOf(client);
    const listening = messages.listen('a', vi.fn());
    messages.listen('b', vi.fn());
    await listening.ready;
    listening.stop();
    messages.close();
    await settle();
  });

  test('close() with no caller that waits sends nothing', () => {
    const client = new FakeClient({ isCluster: true, options });
    const messages = messagesOf(client);
    messages.listen('a', vi.fn()).stop();
    client.take();
    messages.close();
    expect(client.take()).toEqual([]);
  });
});

test('of one server the option `shardedSubscribers` changes nothing', () => {
  const client = new FakeClient({ options: { shardedSubscribers: true } });
  const messages = messagesOf(client);
  messages.listen('a', vi.fn());
  expect(messages.publish).toBe('PUBLISH');
  expect(subscriberOf(client).take()).toEqual([['subscribe', 'a']]);
});
