// The simulated carriers in a process of their own: the demo's embedded simulator would take CPU from the measured process.
// `--latency <ms>`: how long each call takes.
import { startCarrierSim } from '@ticketing/carrier-sim';
import { commandLine, flag, integerFrom } from '@ticketing/cli-kit';

const { ms } = commandLine({
  run: 'carrier-simulator.ts',
  about: 'Serves the simulated carriers.',
  verb: 'start',
  flags: {
    ms: flag({
      name: 'latency',
      about: 'Milliseconds of each call',
      value: integerFrom(0, 60_000),
      fallback: 50,
    }),
  },
});
const latency = { kind: 'fixed', ms } as const;
const simulator = await startCarrierSim({
  plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency }, ojp: { latency } },
});
console.log(`listening  ${simulator.url}`);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void simulator.close());
