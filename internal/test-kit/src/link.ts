import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Clock } from '@ticketing/kit';

/** Speed of a link. */
export interface LinkSpeed {
  /** Each way. Default 0. */
  readonly delayMs?: number;
  /** Most milliseconds more or less than `delayMs`. The order of bytes stays. Default 0. */
  readonly jitterMs?: number;
  /** Each way, for all connections together. Default: no limit. */
  readonly bytesPerSecond?: number;
}

export interface LinkOptions extends LinkSpeed {
  /** The port of the server; on 127.0.0.1 unless a host is given. */
  readonly to: number | { readonly host: string; readonly port: number };
  /** Loopback port to listen on. Default: a free one. */
  readonly port?: number;
  /** Number from 0 up to 1, for the jitter. Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

/** A proxy on a loopback port which behaves like a network that fails. */
export interface Link extends AsyncDisposable {
  readonly port: number;
  readonly state: 'open' | 'stalled' | 'cut' | 'half-open';
  /** Connections of clients. */
  readonly connections: number;
  /** Bytes that the link holds now, at most 256 KiB per direction of a connection. */
  readonly held: number;
  /** Nothing passes, and nothing is lost, until `open`: a link that is down, a machine that is stopped. */
  stall(): void;
  /** Resets all connections, and new ones, until `open`. */
  cut(): void;
  /** The server sees resets, clients nothing: what they send is lost, also by new connections, which `open` resets. */
  halfOpen(): void;
  /** All passes again. */
  open(): void;
  /** Changes the speed of the link, for bytes that come from now on. */
  setSpeed(speed: LinkSpeed): void;
  close(): Promise<void>;
}

const MAX_HELD_BYTES = 262_144;
const MAX_PIECE_BYTES = 16_384;

const platformClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Starts a link to a server. @throws Error of the system if it cannot listen */
export async function createLink(options: LinkOptions): Promise<Link> {
  const { random = Math.random, clock = platformClock } = options;
  const to = typeof options.to === 'number' ? { host: '127.0.0.1', port: options.to } : options.to;
  let speed: LinkSpeed = options;
  let state: Link['state'] = 'open';
  const pairs = new Set<Pair>();
  /** Times at which the bytes so far have gone through, by direction. */
  const sentAt = { up: 0, down: 0 };

  /** Returns the time at which a piece arrives at the other side. */
  function arrival(direction: 'up' | 'down', bytes: number): number {
    const { delayMs = 0, jitterMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY } = speed;
    sentAt[direction] = Math.max(sentAt[direction], clock.now()) + (bytes / bytesPerSecond) * 1000;
    return sentAt[direction] + Math.max(0, delayMs + (random() * 2 - 1) * jitterMs);
  }

  interface Pair {
    readonly client: Socket;
    readonly server: Socket;
    readonly pipes: readonly { readonly held: number; flush(): void; close(): void }[];
  }

  /** Passes bytes from one socket to the other, in order, each at its time, as far as the other takes them. */
  function pipe(from: Socket, into: Socket, direction: 'up' | 'down') {
    const pieces: { readonly at: number; readonly bytes: Buffer | 'end' }[] = [];
    let held = 0;
    let lastAt = 0;
    let timer: unknown;
    let isFull = false;
    function add(bytes: Buffer | 'end'): void {
      lastAt = Math.max(lastAt, arrival(direction, bytes === 'end' ? 0 : bytes.length));
      pieces.push({ at: lastAt, bytes });
    }
    function flush(): void {
      clock.clearTimeout(timer);
      timer = undefined;
      while (state === 'open' && !isFull) {
        const [piece] = pieces;
        if (piece === undefined) break;
        const left = piece.at - clock.now();
        if (left > 0) {
          timer = clock.setTimeout(flush, left);
          break;
        }
        pieces.shift();
        if (piece.bytes === 'end') {
          into.end();
        } else {
          held -= piece.bytes.length;
          isFull = !into.write(piece.bytes);
        }
      }
      if (held < MAX_HELD_BYTES) from.resume();
    }
    from.on('data', (bytes) => {
      if (state === 'half-open') return;
      for (let start = 0; start < bytes.length; start += MAX_PIECE_BYTES) {
        add(bytes.subarray(start, start + MAX_PIECE_BYTES));
      }
      held += bytes.length;
      if (held >= MAX_HELD_BYTES) from.pause();
      flush();
    });
    from.on('end', () => {
      if (state === 'half-open') return;
      add('end');
      flush();
    });
    into.on('drain', () => {
      isFull = false;
      flush();
    });
    return {
      get held() {
        return held;
      },
      flush,
      close() {
        clock.clearTimeout(timer);
        pieces.length = 0;
        held = 0;
      },
    };
  }

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    // What a cut connection still reports is of no interest.
    client.on('error', () => {});
    if (state === 'cut') return void client.resetAndDestroy();
    const server = connect({ ...to, allowHalfOpen: true, noDelay: true });
    const pair: Pair = {
      client,
      server,
      pipes: [pipe(client, server, 'up'), pipe(server, client, 'down')],
    };
    pairs.add(pair);
    server.on('error', () => {
      if (state !== 'half-open') client.resetAndDestroy();
    });
    server.on('close', () => {
      if (state !== 'half-open') client.destroySoon();
    });
    client.on('close', () => {
      pairs.delete(pair);
      for (const { close } of pair.pipes) close();
      if (client.errored) server.resetAndDestroy();
      else server.destroySoon();
    });
    if (state === 'half-open') server.destroy();
  });
  listener.listen(options.port ?? 0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;

  function flushAll(): void {
    for (const { pipes } of pairs) for (const { flush } of pipes) flush();
  }
  function resetAll(): void {
    for (const { client } of pairs) client.resetAndDestroy();
  }
  async function close(): Promise<void> {
    state = 'cut';
    resetAll();
    for (const { server } of pairs) server.destroy();
    if (!listener.listening) return;
    listener.close();
    await once(listener, 'close');
  }

  return {
    port,
    get state() {
      return state;
    },
    get connections() {
      return pairs.size;
    },
    get held() {
      let held = 0;
      for (const { pipes } of pairs) for (const pipe of pipes) held += pipe.held;
      return held;
    },
    stall() {
      state = 'stalled';
    },
    cut() {
      state = 'cut';
      resetAll();
    },
    halfOpen() {
      state = 'half-open';
      for (const { server, pipes } of pairs) {
        for (const { close } of pipes) close();
        server.resetAndDestroy();
      }
    },
    open() {
      if (state === 'half-open') resetAll();
      state = 'open';
      flushAll();
    },
    setSpeed(next) {
      speed = next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
