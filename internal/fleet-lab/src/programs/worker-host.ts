// A host of a fleet: runs tasks that wait, and writes a journal. `worker-host.ts '<WorkerHostGiven>'`. Ends with its input.
import { openSync, writeSync } from 'node:fs';
import { createInProcessDispatcher, defineTasks, type TaskContext } from '@ticketing/dispatch';
import { serveNatsTasks } from '@ticketing/dispatch-nats';
import {
  epoch,
  type JournalLine,
  readMessages,
  type ToWorkerHost,
  tell,
  type WorkerHostGiven,
} from './messages.ts';

const given = JSON.parse(process.argv[2] ?? '') as WorkerHostGiven;
const journal = openSync(given.journal, 'a');
let slowBy = 1;

interface WorkInput {
  readonly id: string;
  readonly deadline: number;
}

function work({ id, deadline }: WorkInput, { signal }: TaskContext) {
  const write = (what: JournalLine['what']): void => {
    const line: JournalLine = { what, id, host: given.name, at: epoch(), deadline };
    writeSync(journal, `${JSON.stringify(line)}\n`);
  };
  write('begin');
  return new Promise<{ host: string }>((resolve, reject) => {
    const timer = setTimeout(() => {
      write('end');
      resolve({ host: given.name });
    }, given.taskMs * slowBy);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      write('abort');
      reject(signal.reason);
    });
  });
}

const dispatcher = createInProcessDispatcher(defineTasks({ work, extra: work }));
const host = serveNatsTasks({
  nats: { servers: [...given.servers] },
  fleet: given.fleet,
  hostId: given.name,
  dispatcher,
  tasks: given.hasExtra ? ['work', 'extra'] : ['work'],
  capacity: given.capacity,
  ...(given.revision !== undefined && { revision: given.revision }),
});
await host.ready();
tell({ kind: 'ready' });

await readMessages<ToWorkerHost>(process.stdin, (message) => {
  if (message.do === 'slow') {
    slowBy = message.by;
    return;
  }
  void host.drain({ timeoutMs: 10_000 }).then(async () => {
    tell({ kind: 'drained' });
    await host.close();
    process.exit();
  });
});
await host.close();
process.exit();
