import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { until } from '@ticketing/test-kit';
import { onTestFinished } from 'vitest';

export interface OpenInspector {
  readonly pid: number;
  readonly url: string;
}

/** Collects the addresses of workers' inspectors from the diagnostics channel, until the test ends. */
export function inspectorsOn(name: string): OpenInspector[] {
  const open: OpenInspector[] = [];
  const add = (message: unknown): number => open.push(message as OpenInspector);
  subscribe(name, add);
  onTestFinished(() => void unsubscribe(name, add));
  return open;
}

/** Client of the inspector protocol, such as a debugger. */
export interface Debugger {
  /** Stops the process at a breakpoint; resolves when it has stopped. */
  pause(): Promise<void>;
  /** Resolves when the process goes on. */
  resume(): Promise<void>;
  /** Disconnects: a process that ends waits for its debugger to leave. */
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
  const seen = new Set<string>();
  socket.addEventListener('message', ({ data }) => seen.add(JSON.parse(String(data)).method));
  /** Sends again until an event comes: a busy Node may leave a message unread until the next one. */
  const sendUntil = (event: string, method: string): Promise<void> =>
    until(() => {
      if (!seen.has(event)) send(method);
      return seen.has(event);
    }, event);
  send('Debugger.enable');
  return {
    pause() {
      // By a timer, because a Node that stops while it reads messages may spin and read no later ones.
      send('Runtime.evaluate', { expression: 'setTimeout(() => { debugger; });' });
      return sendUntil('Debugger.paused', 'Runtime.getIsolateId');
    },
    resume: () => sendUntil('Debugger.resumed', 'Debugger.resume'),
    detach: () => socket.close(),
  };
}
