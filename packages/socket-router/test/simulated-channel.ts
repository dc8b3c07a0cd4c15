import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { RouterWorker, SharedFile, WorkerChannel } from '../src/contract/worker-source.ts';

export interface Sent {
  readonly message: Record<string, unknown> & { readonly kind: string; readonly router: string };
  readonly handle: Socket | undefined;
  readonly callback: (error: Error | null) => void;
}

/** A worker's process as the router sees it, played by the test. */
export class SimulatedChannel extends EventEmitter {
  readonly sent: Sent[] = [];

  send(
    message: object,
    handle: Socket | undefined,
    _: object,
    callback: (error: Error | null) => void,
  ): boolean {
    this.sent.push({ message: message as Sent['message'], handle, callback });
    callback(null);
    return true;
  }

  /** Connections that were sent. */
  get hands(): Sent[] {
    return this.sent.filter(({ message }) => message.kind === 'hand');
  }

  /** Emits a message of the worker. */
  say(message: object): void {
    this.emit('message', { tag: 'ticketing:socket-router', router: 'router', ...message });
  }

  asWorker(slot = '0', sharedFile?: SharedFile): RouterWorker {
    return { slot, pid: 1, channel: this as unknown as WorkerChannel, sharedFile };
  }
}
