import { serveTasks } from '@ticketing/dispatch/transport';
import { JOURNAL_FD, startWriter } from './start-journal.ts';
import { createOutbox } from './worker/outbox.ts';

// The program of a worker: kept to wiring, since coverage does not see other processes.
const [, , workerId, module = ''] = process.argv;
const outbox = createOutbox(process);
const served = serveTasks({
  workerId: Number(workerId),
  module,
  post: (message) => outbox.post(message),
  noteStarted: startWriter(JOURNAL_FD),
  memoryBytes: () => process.memoryUsage.rss(),
  exit: (code) => outbox.exit(code),
  transfers: false,
});
process.on('message', (message) => served.receive(message));
process.on('exit', () => served.flush());
// Ctrl-C reaches every process of the terminal. What becomes of the workers is the parent's to say, which may drain.
process.on('SIGINT', () => {});
// The parent is gone, perhaps since before this listener.
process.on('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);
