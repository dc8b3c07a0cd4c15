#!/usr/bin/env node
// The simulator as a program, for suites in any language: `npx @ticketing/carrier-sim --port 4010 --plan plan.json`.

import { readFileSync } from 'node:fs';
import { commandLine, exitCodeOf, FlagError } from '@ticketing/cli-kit';
import type { CarrierSimOptions } from '../server/carrier-sim-options.ts';
import { command } from './command.ts';

const { host, port, seed, planFile, startMs } = commandLine(command);
const startedMs = performance.now();
const now = (): number =>
  startMs === undefined ? Date.now() : startMs + Math.floor(performance.now() - startedMs);

try {
  const plan = planFile === undefined ? {} : readPlan(planFile);
  // Help and wrong flags do not wait for the server.
  const { startCarrierSim } = await import('../server/start-carrier-sim.ts');
  const sim = await startCarrierSim({ host, port, seed, now, plan });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void sim.close());
  }
  process.stdout.write(`listening  ${sim.url}\n`);
} catch (error) {
  process.exitCode = await report(error);
}

function readPlan(path: string): NonNullable<CarrierSimOptions['plan']> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { message } = error as Error;
    throw new FlagError(
      `Cannot ${command.verb}: --plan must be a file with JSON, got '${path}': ${message}`,
    );
  }
}

/** Returns the exit code: 2 for wrong flags and plans, 1 where it cannot listen. */
async function report(error: unknown): Promise<number> {
  const { CarrierSimError } = await import('../errors.ts');
  if (CarrierSimError.is(error)) {
    process.stderr.write(`${error.message}; choose another --host or --port\n`);
    return 1;
  }
  const isPlan = error instanceof TypeError || error instanceof RangeError;
  const code = exitCodeOf(isPlan ? new FlagError(error.message) : error);
  if (code === undefined) throw error;
  return code;
}
