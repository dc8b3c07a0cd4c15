// Streams of a host's worker.
import { defineTasks } from '@ticketing/dispatch/worker';

const item = { id: 'renfe-03142', from: 'Madrid', to: 'Barcelona', price: 5460, seats: 12 };
const bytes = Buffer.alloc(10_000, 7);
let made = 0;

const tasks = {
  async *items(count: number) {
    for (made = 1; made <= count; made += 1) yield item;
  },
  async *bytes(count: number) {
    for (made = 1; made <= count; made += 1) yield bytes;
  },
  made: () => made,
  cpuUs: () => process.cpuUsage().user + process.cpuUsage().system,
};
export type Tasks = typeof tasks;

export default defineTasks(tasks);
