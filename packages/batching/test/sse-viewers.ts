import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { StreamCoalescer } from '../src/streams/index.ts';

/** Sends the items of a stream as server-sent events, as fast as its client reads. */
async function sendEvents(
  response: ServerResponse,
  streams: StreamCoalescer<string, string>,
): Promise<void> {
  const client = new AbortController();
  response.once('close', () => client.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  try {
    for await (const item of streams.follow('prices', { signal: client.signal })) {
      if (!response.write(`data: ${item}\n\n`)) {
        await once(response, 'drain', { signal: client.signal });
      }
    }
    response.end();
  } catch (error) {
    if (!response.destroyed) response.end(`event: failed\ndata: ${(error as Error).message}\n\n`);
  }
}

/** A client of the events. */
export interface Viewer {
  readonly events: string[];
  /** Resolves when the server has ended the stream. */
  readonly end: Promise<void>;
  /** Resolves when so many events have come. */
  came(count: number): Promise<void>;
  /** Stops reading, so that the connection fills. */
  pause(): void;
  resume(): void;
  leave(): void;
}

/** Serves a shared stream over HTTP, until the end of the test. Returns what opens a client of it. */
export async function serveEvents(
  streams: StreamCoalescer<string, string>,
): Promise<() => Promise<Viewer>> {
  const server = createServer((_, response) => void sendEvents(response, streams));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return async () => {
    const request = get({
      port,
      host: '127.0.0.1',
      agent: false,
      headers: { accept: 'text/event-stream' },
    });
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const events: string[] = [];
    const text: string[] = [];
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text.push(chunk);
      if (!chunk.endsWith('\n\n')) return;
      const whole = text.splice(0).join('').trimEnd();
      events.push(...whole.split('\n\n'));
    });
    response.on('error', () => {});
    const end = new Promise<void>((resolve) => response.once('close', resolve));
    return {
      events,
      end,
      async came(count) {
        while (events.length < count) await turn();
      },
      pause: () => void response.pause(),
      resume: () => void response.resume(),
      leave: () => void request.destroy(),
    };
  };
}
