import { CarrierError } from '@ticketing/core';
import { GtfsError } from '../errors.ts';
import type { Feed } from '../feed/feed.ts';
import type { ServedFeed } from './request.ts';

/** Reads a feed when it is asked for. */
export type LoadFeed = () => Promise<Feed>;

/**
 * Returns a function that resolves to the feed, read once for all questions; a question that leaves does not end it. After a failure the
 * next question reads again.
 *
 * @throws CarrierError `PROTOCOL` for a feed that cannot be read, the reason of the signal
 */
export function serveLater(
  id: string,
  load: LoadFeed,
  serve: (feed: Feed) => ServedFeed,
): (signal: AbortSignal) => Promise<ServedFeed> {
  let loading: Promise<ServedFeed> | undefined;
  const start = async (): Promise<ServedFeed> => {
    try {
      return serve(await load());
    } catch (cause) {
      loading = undefined;
      if (!GtfsError.is(cause)) throw cause;
      throw new CarrierError('PROTOCOL', `Cannot ask \`${id}\`: ${cause.message}`, { cause });
    }
  };
  return (signal) => {
    loading ??= start();
    return unlessAborted(loading, signal);
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
