import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns a function that has a callback called when the client of a response has it or has left, at least once.
 *
 * The response to a request that was sent ahead has no socket yet, and may not close with its connection
 * (docs/discoveries/an-answer-that-never-closes.md). So the connection is watched too.
 */
export function watchClients(): (response: ServerResponse, onOver: () => void) => void {
  const sentAhead = new WeakMap<Socket, Set<() => void>>();

  function callbacksOf(socket: Socket): Set<() => void> {
    const known = sentAhead.get(socket);
    if (known !== undefined) return known;
    const callbacks = new Set<() => void>();
    sentAhead.set(socket, callbacks);
    socket.once('close', () => {
      for (const callback of callbacks) callback();
    });
    return callbacks;
  }

  return (response, onOver) => {
    response.on('close', onOver);
    if (response.socket !== null) return;
    const callbacks = callbacksOf(response.req.socket);
    callbacks.add(onOver);
    response.on('close', () => callbacks.delete(onOver));
  };
}
