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

  const onMessage = (channel: string): void => wakers.get(channel)?.();
  const wakeAll = (): void => {
    for (const wake of wakers.values()) wake();
  };
  /** After a connection that was lost those who wait look again: messages may have been lost, too. */
  const onReady = (): void => {
    const isFirst = !wasReady;
    wasReady = true;
    if (!isFirst && wakers.size > 0) void subscribe(...wakers.keys()).then(wakeAll, ignore);
  };
  const event = isSharded ? 'smessage' : 'message';

  function connection(): RedisClient {
    if (subscriber !== undefined) return subscriber;
    subscriber = client.isCluster
      ? client
      : (client as StandaloneClient).duplicate({
          enableOfflineQueue: true,
          maxRetriesPerRequest: null,
        });
    wasReady = subscriber.status === 'ready';
    subscriber.on(event, onMessage);
    subscriber.on('close', wakeAll);
    subscriber.on('ready', onReady);
    // An error without a listener is written to the console. The given client has it too.
    if (subscriber !== client) subscriber.on('error', ignore);
    return subscriber;
  }

  function subscribe(...channels: string[]): Promise<unknown> {
    const redis = connection();
    return isSharded
      ? Promise.all(channels.map((channel) => redis.ssubscribe(channel)))
      : redis.subscribe(...channels);
  }

  return {
    publish: isSharded ? 'SPUBLISH' : 'PUBLISH',
    listen(channel, onWake) {
      wakers.set(channel, onWake);
      return {
        ready: subscribe(channel).then(ignore, ignore),
        stop() {
          if (wakers.get(channel) !== onWake) return;
          wakers.delete(channel);
          const redis = connection();
          const left = isSharded ? redis.sunsubscribe(channel) : redis.unsubscribe(channel);
          left.catch(ignore);
        },
      };
    },
    close() {
      wakers.clear();
      if (subscriber === undefined) return;
      subscriber.off(event, onMessage);
      subscriber.off('close', wakeAll);
      subscriber.off('ready', onReady);
      // The error listener stays: the connection may fail while it closes.
      if (subscriber !== client) subscriber.disconnect();
    },
  };
}

interface Options {
  readonly shardedSubscribers?: boolean;
}

function ignore(): void {}
