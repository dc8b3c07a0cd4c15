import type { OpenStream, StreamContext } from '../src/streams/index.ts';

/** One source, whose items come as the test sends them. */
export interface HeldStream<K, T> {
  readonly key: K;
  readonly context: StreamContext<K>;
  /** Calls of `next()`, and of `return()`. */
  asked: number;
  returned: number;
  send(...items: T[]): void;
  end(): void;
  fail(error: unknown): void;
}

/** Opens sources whose items come as the test sends them. A source that is aborted stays pending, unless it is ended. */
export function holdStreams<K, T = string>(): {
  open: OpenStream<K, T>;
  streams: HeldStream<K, T>[];
} {
  const streams: HeldStream<K, T>[] = [];
  function open(key: K, context: StreamContext<K>): AsyncIterable<T> {
    const results: (() => Promise<IteratorResult<T>>)[] = [];
    const requests: ((result: Promise<IteratorResult<T>>) => void)[] = [];
    const put = (result: () => Promise<IteratorResult<T>>): void => {
      const request = requests.shift();
      if (request === undefined) results.push(result);
      else request(result());
    };
    const stream: HeldStream<K, T> = {
      key,
      context,
      asked: 0,
      returned: 0,
      send(...items) {
        for (const value of items) put(async () => ({ done: false, value }));
      },
      end: () => put(async () => ({ done: true, value: undefined })),
      fail: (error) => put(() => Promise.reject(error)),
    };
    streams.push(stream);
    return {
      [Symbol.asyncIterator]: () => ({
        next() {
          stream.asked += 1;
          const result = results.shift();
          if (result !== undefined) return result();
          return new Promise((resolve) => requests.push(resolve));
        },
        async return() {
          stream.returned += 1;
          return { done: true, value: undefined };
        },
      }),
    };
  }
  return { open, streams };
}

/** Reads to the end. */
export async function itemsOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}
