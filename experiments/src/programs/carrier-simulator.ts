// The simulated carriers in a process of their own: the demo's embedded simulator would take CPU from the measured process.
// `--latency <ms>`: how long each call takes.
import { parseArgs } from 'node:util';
import { startCarrierSim } from '@ticketing/carrier-sim';

const { values } = parseArgs({ options: { latency: { type: 'string', default: '50' } } });
const latency = { kind: 'fixed', ms: Number(values.latency) } as const;
const simulator = await startCarrierSim({
  plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } },
});
console.log(`listening  ${simulator.url}`);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void simulator.close());
