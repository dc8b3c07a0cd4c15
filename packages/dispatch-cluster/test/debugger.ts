import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { until } from '@ticketing/test-kit';
import { onTestFinished } from 'vitest';

export interface OpenInspector {
  readonly pid: number;
  readonly url: string;
}

/** Collects where inspectors of workers listen, as a channel of diagnostics reports it, until the test ends. */
export function inspectorsOn(name: string): OpenInspector[] {
  const open: OpenInspector[] = [];
  const add = (message: unknown): number => open.push(message as OpenInspector);
  subscribe(name, add);
  onTestFinished(() => void unsubscribe(name, add));
  return open;
}

/** A client of the inspector protocol, as a debugger is one. */
export interface Debugger {
  /** Has the process stop at a breakpoint; resolves when it has. */
  pause(): Promise<void>;
  /** Resolves when the process goes on. */
  resume(): Promise<void>;
  /** Leaves: a process that ends waits for its debugger to do so. */
  detach(): void;
}

export async function attachDebugger(url: string): Promise<Debugger> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  onTestFinished(() => socket.close());
  let id = 0;
  const send = (method: string, params: object = {}): void => {
    id += 1;
    socket.send(JSON.stringify({ id, method, params }));
  };
  send('Debugger.enable');
  return {
    pause() {
      const paused = new Promise<void>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          if (JSON.parse(String(data)).method === 'Debugger.paused') resolve();
        });
      });
      send('Runtime.evaluate', { expression: 'debugger;' });
      return paused;
    },
    async resume() {
      let isResumed = false;
      socket.addEventListener('message', ({ data }) => {
        if (JSON.parse(String(data)).method === 'Debugger.resumed') isResumed = true;
      });
      // On a busy machine Node may leave a message unread until the next one comes.
      await until(() => {
        if (!isResumed) send('Debugger.resume');
        return isResumed;
      }, 'the process to go on');
    },
    detach: () => socket.close(),
  };
}
