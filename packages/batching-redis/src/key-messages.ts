import type { Listening } from '@ticketing/batching/shared';
import type { RedisClient, StandaloneClient } from './redis-client.ts';

/** Messages of keys, over one connection for all. */
export interface KeyMessages {
  /** The command by which they are published. */
  readonly publish: 'PUBLISH' | 'SPUBLISH';
  listen(channel: string, onWake: () => void): Listening;
  close(): void;
}

/**
 * Receives messages: of one server over a second connection, which is opened when a caller first waits; of a cluster as its
 * client does, which has such a connection. With its option `shardedSubscribers` (ioredis) only the nodes of a key have the
 * message, otherwise each node of the cluster.
 */
export function createKeyMessages(client: RedisClient): KeyMessages {
  const isSharded =
    client.isCluster === true &&
    (client.options as Options | undefined)?.shardedSubscribers === true;
  const wakers = new Map<string, () => void>();
  let subscriber: RedisClient | undefined;
  let wasReady = false;
  let isClosed = false;

  const onMessage = (channel: string): void => wakers.get(channel)?.();
  const wakeAll = (): void => {
    for (const wake of wakers.values()) wake();
  };
  /** Wakes all waiters after a lost connection was restored, so that they look again: messages may have been lost, too. */
  const onReady = (): void => {
    const isFirst = !wasReady;
    wasReady = true;
    if (!isFirst && wakers.size > 0) void subscribe(...wakers.keys()).then(wakeAll, ignore);
  };
  const event = isSharded ? 'smessage' : 'message';
  const listeners: readonly (readonly [event: string, listener: (...values: string[]) => void])[] =
    [
      [event, onMessage],
      ['close', wakeAll],
      ['ready', onReady],
    ];

  function connection(): RedisClient {
    if (subscriber !== undefined) return subscriber;
    subscriber = client.isCluster
      ? client
      : (client as StandaloneClient).duplicate({
          enableOfflineQueue: true,
          maxRetriesPerRequest: null,
        });
    wasReady = subscriber.status === 'ready';
    for (const [name, listener] of listeners) subscriber.on(name, listener);
    if (subscriber !== client) {
      // An error without a listener is written to the console. The given client has it too.
      subscriber.on('error', ignore);
      // By the options of the client it may give up while that lives: the next who waits opens another.
      subscriber.on('end', leaveSubscriber);
    }
    return subscriber;
  }

  function leaveSubscriber(): void {
    for (const [name, listener] of listeners) subscriber?.off(name, listener);
    subscriber = undefined;
  }

  function subscribe(...channels: string[]): Promise<unknown> {
    const redis = connection();
    return isSharded
      ? Promise.all(channels.map((channel) => redis.ssubscribe(channel)))
      : redis.subscribe(...channels);
  }

  function unsubscribe(...channels: string[]): void {
    if (subscriber === undefined) return;
    const redis = subscriber;
    const left = isSharded
      ? Promise.all(channels.map((channel) => redis.sunsubscribe(channel)))
      : redis.unsubscribe(...channels);
    left.catch(ignore);
  }

  return {
    publish: isSharded ? 'SPUBLISH' : 'PUBLISH',
    listen(channel, onWake) {
      if (isClosed) return { ready: Promise.resolve(), stop: ignore };
      wakers.set(channel, onWake);
      // All of them, if the connection before has ended.
      const channels = subscriber === undefined ? wakers.keys() : [channel];
      return {
        ready: subscribe(...channels).then(ignore, ignore),
        stop() {
          if (wakers.get(channel) !== onWake) return;
          wakers.delete(channel);
          unsubscribe(channel);
        },
      };
    },
    close() {
      isClosed = true;
      const channels = [...wakers.keys()];
      wakers.clear();
      // The given client lives on, without what was asked of it here.
      if (subscriber === client && channels.length > 0) unsubscribe(...channels);
      const own = subscriber === client ? undefined : subscriber;
      leaveSubscriber();
      // Its error listener stays: the connection may fail while it closes.
      own?.disconnect();
    },
  };
}

interface Options {
  readonly shardedSubscribers?: boolean;
}

function ignore(): void {}
