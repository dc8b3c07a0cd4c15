// The thread of the embedded simulator.
import { type CarrierSim, type Latency, startCarrierSim } from '@ticketing/carrier-sim';
import { defineTasks, type TaskModule } from '@ticketing/dispatch';
import { UPSTREAM_NAMES } from '../carriers/carriers.ts';

export type UpstreamTasks = {
  /** Starts the simulator until the thread ends. Returns its URL. */
  start(options: { readonly latency: Latency }): Promise<string>;
};

let simulator: CarrierSim | undefined;

const tasks: TaskModule<UpstreamTasks> = defineTasks<UpstreamTasks>(
  {
    async start({ latency }) {
      simulator = await startCarrierSim({
        plan: Object.fromEntries(UPSTREAM_NAMES.map((name) => [name, { latency }])),
      });
      return simulator.url;
    },
  },
  { teardown: () => simulator?.close() },
);
export default tasks;
