// A host with one worker, whose items it passes on, or takes from one stream and gives to another.
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { serveNatsTasks } from '@ticketing/dispatch-nats';
import type { Tasks } from './stream-tasks.ts';

/** Value of the program's only argument. */
export interface StreamHostSetting {
  readonly url: string;
  readonly fleet: string;
  /** True if the two streams have a window each. */
  readonly twice: boolean;
}

const { url, fleet, twice } = JSON.parse(process.argv[2] ?? '{}') as StreamHostSetting;
const dispatcher = createForkDispatcher<Tasks>(new URL('./stream-tasks.ts', import.meta.url), {
  max: 1,
});
// No call is passed on to one that has another `run`.
if (twice) Object.assign(dispatcher, { run: dispatcher.run.bind(dispatcher) });
const host = serveNatsTasks<Tasks>({
  ...{ nats: { servers: url }, fleet, dispatcher },
  tasks: ['items', 'bytes', 'made', 'cpuUs'],
});
await host.ready();
await dispatcher.ready();
process.on('message', () => {
  process.send?.({ cpuUs: process.cpuUsage().user + process.cpuUsage().system });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
