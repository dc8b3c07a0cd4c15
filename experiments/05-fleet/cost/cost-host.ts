// A host that runs the tasks of the cost table: `cost-host.ts <url of NATS> <fleet>`. Ends by SIGTERM.
import { once } from 'node:events';
import { createInProcessDispatcher } from '@ticketing/dispatch';
import { serveNatsTasks } from '@ticketing/dispatch-nats';
import module from './tasks.ts';

const [servers = '', fleet = ''] = process.argv.slice(2);
const host = serveNatsTasks({
  nats: { servers },
  fleet,
  dispatcher: createInProcessDispatcher(module),
  tasks: ['echo', 'records', 'burn'],
});
await host.ready();
console.log(`listening  ${servers}`);
await once(process, 'SIGTERM');
await host.close();
process.exit();
