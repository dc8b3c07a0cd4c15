import { fork } from 'node:child_process';
import { nextMessage } from './next-message.ts';

/** Requests to send. */
export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly requests: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 8. */
  readonly connections?: number;
  /** Requests that a connection has under way. Default 16. */
  readonly atOnce?: number;
}

/** A process that sends requests over connections that stay, so that no round pays for its start. */
export interface PipelinedLoad {
  /** Resolves when all are answered with 200. */
  send(order: LoadOrder): Promise<void>;
  close(): void;
}

/** Starts a process that sends requests. */
export function startPipelinedLoad(): PipelinedLoad {
  const child = fork(new URL('./pipelined-load.ts', import.meta.url));
  return {
    async send(order) {
      child.send(order);
      await nextMessage(child);
    },
    close: () => void child.kill(),
  };
}
