// A queue over HTTP: messages are delivered, acknowledged, delivered again, or buried.
import { EventEmitter, on, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Message } from '../src/queue.ts';

export async function startBroker(messages: readonly Message[]) {
  const events = new EventEmitter();
  const waiting = [...messages];
  const open = new Map<string, Message>();
  const acked: string[] = [];
  const nacked: string[] = [];
  const buried = new Map<string, string>();
  let mostOpen = 0;

  const server = createServer(async (request, response) => {
    const [, verb = '', id = ''] = (request.url ?? '').split('/');
    const body = (await json(request)) as { readonly reason?: string };
    const gone = once(response, 'close').then(() => true);
    if (verb === 'receive') {
      while (waiting.length === 0) {
        if (await Promise.race([gone, once(events, 'waiting').then(() => false)])) return;
      }
      const message = waiting.shift() as Message;
      open.set(message.id, message);
      mostOpen = Math.max(mostOpen, open.size);
      response.end(JSON.stringify([message]));
      return;
    }
    const message = open.get(id) as Message;
    open.delete(id);
    if (verb === 'ack') acked.push(id);
    if (verb === 'bury') buried.set(id, String(body.reason));
    if (verb === 'nack') {
      nacked.push(id);
      waiting.push({ ...message, redelivered: message.redelivered + 1 });
      events.emit('waiting');
    }
    response.end('{}');
    events.emit('settled');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acked,
    nacked,
    buried,
    left: () => waiting.length + open.size,
    mostOpen: () => mostOpen,
    /** Resolves when so many messages are acknowledged or buried. */
    async settled(count: number) {
      const settlements = on(events, 'settled');
      if (acked.length + buried.size >= count) return;
      for await (const _ of settlements) if (acked.length + buried.size >= count) return;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
