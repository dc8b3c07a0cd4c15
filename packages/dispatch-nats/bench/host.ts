// Program that runs tasks, as a host of a fleet or as a bare member of a queue group.
import { connect } from '@nats-io/transport-node';
import { createInProcessDispatcher, defineTasks, rawJson } from '@ticketing/dispatch';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { repeat } from '@ticketing/dispatch/bench/work';
import { serveNatsTasks } from '@ticketing/dispatch-nats';

/** Value of the program's only argument. */
export interface HostSetting {
  readonly role: 'fleet' | 'queue group';
  readonly url: string;
  readonly fleet: string;
  /** Milliseconds of `wait`, of which the host runs one at a time. */
  readonly waitMs: number;
}

const records = recordsOf(10_000);
const { role, url, fleet, waitMs } = JSON.parse(process.argv[2] ?? '{}') as HostSetting;

let last: Promise<unknown> = Promise.resolve();
/** Runs one call at a time, as a core would; other calls wait. */
function wait(): Promise<number> {
  const own = last.then(() => new Promise((resolve) => setTimeout(resolve, waitMs)));
  last = own;
  return own.then(() => waitMs);
}

const tasks = {
  echo: (value: unknown) => value,
  bytes: (value: Uint8Array) => value,
  records: () => records,
  recordsAsJson: () => rawJson(records),
  repeat,
  wait,
};
export type Tasks = typeof tasks;

const nats = await connect({ servers: url, noEcho: true, noAsyncTraces: true });
if (role === 'fleet') {
  const host = serveNatsTasks({
    nats,
    fleet,
    dispatcher: createInProcessDispatcher(defineTasks(tasks)),
    tasks: Object.keys(tasks) as (keyof Tasks)[],
    ...(waitMs > 0 && { capacity: 4 }),
  });
  await host.ready();
} else {
  const answers: Readonly<
    Record<string, (data: Uint8Array) => Uint8Array | string | Promise<string>>
  > = {
    // Decoded and encoded, because any real task must do both.
    echo: (data) => JSON.stringify(JSON.parse(Buffer.from(data).toString())),
    bytes: (data) => data,
    records: () => JSON.stringify(records),
    recordsAsJson: () => JSON.stringify(records),
    wait: async () => String(await wait()),
  };
  for (const [task, answer] of Object.entries(answers)) {
    nats.subscribe(`bench.${fleet}.${task}`, {
      queue: 'hosts',
      callback: (_error, message) => {
        const value = answer(message.data);
        if (value instanceof Promise) void value.then((text) => message.respond(text));
        else message.respond(value);
      },
    });
  }
  await nats.flush();
}
process.on('message', () => {
  process.send?.({ cpuUs: process.cpuUsage().user + process.cpuUsage().system });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
