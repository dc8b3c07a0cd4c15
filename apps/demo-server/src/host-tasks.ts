// The module of a host that a server has started itself. Its settings are in the environment, because a worker gets only a URL.
import { defineTasks, type TaskModule } from '@ticketing/dispatch';
import { servingStart } from './compose/process-start.ts';
import { type Host, type HostStats, startHost } from './fleet/host.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { type Telemetry, telemetryOf } from './telemetry/telemetry.ts';

/** A module has tasks; the fleet's own come over NATS. */
type HostTasks = { stats(): HostStats };

let host: Host;
let telemetry: Telemetry;
const tasks: TaskModule<HostTasks> = defineTasks(
  { stats: () => host.stats() },
  {
    async setup({ slot }) {
      const { flags, carriersUrl, worms } = servingStart();
      const name = `host-${slot}`;
      telemetry = await startTelemetry(telemetryOf(flags, name));
      host = await startHost({ flags, name, carriersUrl, worms, telemetry });
      await host.ready();
    },
    async teardown() {
      await host.drain();
      await host.close();
      await telemetry.close();
    },
  },
);

export default tasks;
