import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createInbox, type NatsConnection } from '@nats-io/transport-node';
import { nextMessage } from '@ticketing/bench-kit';
import type { TaskWithResult } from '@ticketing/dispatch';
import { createNatsDispatcher, type NatsDispatcher } from '@ticketing/dispatch-nats';
import type { HostSetting, Tasks } from './host.ts';

/** A contender that runs tasks. */
export interface Caller {
  readonly name: string;
  run(task: TaskWithResult<Tasks>, input: unknown): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Starts programs that run tasks, and resolves when they do. */
export async function startHosts(
  settings: readonly HostSetting[],
): Promise<{ readonly processes: readonly ChildProcess[]; close(): Promise<void> }> {
  const processes = settings.map((setting) =>
    fork(new URL('./host.ts', import.meta.url), [JSON.stringify(setting)]),
  );
  await Promise.all(processes.map((child) => nextMessage(child)));
  return {
    processes,
    async close() {
      for (const child of processes) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}

export async function fleetCaller(
  url: string,
  fleet: string,
  beatMs = 250,
): Promise<Caller & { readonly dispatcher: NatsDispatcher<Tasks> }> {
  const dispatcher = createNatsDispatcher<Tasks>({ nats: { servers: url }, fleet, beatMs });
  await dispatcher.ready();
  return {
    name: 'nats dispatcher',
    dispatcher,
    run: (task, input) => dispatcher.run(task, input as never),
    close: () => dispatcher.close(),
  };
}

/** One subscription for all answers, the fastest use of the client. */
export async function inboxCaller(url: string, fleet: string): Promise<Caller> {
  const nats = await connect({ servers: url, noAsyncTraces: true });
  const waiting = new Map<string, (data: Uint8Array) => void>();
  const inbox = createInbox();
  nats.subscribe(`${inbox}.*`, {
    callback: (_error, { subject, data }) => {
      const id = subject.slice(inbox.length + 1);
      waiting.get(id)?.(data);
      waiting.delete(id);
    },
  });
  let lastId = 0;
  return {
    name: 'publish, own inbox',
    run: (task, input) =>
      new Promise((resolve) => {
        lastId += 1;
        const id = String(lastId);
        waiting.set(id, (data) => resolve(decode(task, data)));
        nats.publish(`bench.${fleet}.${task}`, encode(input), { reply: `${inbox}.${id}` });
      }),
    close: () => nats.close(),
  };
}

export async function requestCaller(
  url: string,
  fleet: string,
  noAsyncTraces: boolean,
): Promise<Caller> {
  const nats: NatsConnection = await connect({ servers: url, noAsyncTraces });
  return {
    name: noAsyncTraces ? '`request()`, noAsyncTraces' : '`request()`',
    async run(task, input) {
      const subject = `bench.${fleet}.${task}`;
      const { data } = await nats.request(subject, encode(input), { timeout: 60_000 });
      return decode(task, data);
    },
    close: () => nats.close(),
  };
}

function encode(input: unknown): Uint8Array | string {
  if (input === undefined) return '';
  return input instanceof Uint8Array ? input : JSON.stringify(input);
}

/** Bytes stay bytes. */
function decode(task: keyof Tasks, data: Uint8Array): unknown {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return task === 'bytes' || task === 'recordsAsJson' ? bytes : JSON.parse(bytes.toString());
}
