import {
  createLoopback,
  createNamespaces,
  hasNamespaces,
  type Network,
  type Observed,
  type PhaseResult,
  type RowResult,
  rows,
  runRow,
  runSetting,
  setting5,
  settings,
} from '@ticketing/fleet-lab';
import { engineProgram } from '@ticketing/test-kit';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { compare } from './compare.ts';
import { measureCost } from './cost/measure-cost.ts';
import { DRAWN, type Findings, type RowFindings } from './findings.ts';
import { report } from './report.ts';

/** Rows of a quick run: one host dies, all leave in turn, the engine goes. */
const QUICK_ROWS = ['kill', 'drain', 'nats-kill'];
const QUICK_SETTING = { ...setting5, seconds: 8, faultAtSecond: 2 };

export const fleet: Experiment<Findings> = {
  id: '05',
  folder: new URL('./', import.meta.url),
  question: 'When does a fleet pay, what does it cost, and what happens when a part of it goes?',
  measure,
  report,
};

async function measure(context: MeasureContext): Promise<Findings> {
  if (engineProgram('nats') === undefined) return {};
  const { progress, quick } = context;
  const setting = quick ? QUICK_SETTING : setting5;
  const chosen = quick ? rows.filter(({ id }) => QUICK_ROWS.includes(id)) : rows;
  const cost = await measureCost(context);
  const createNetwork = hasNamespaces() ? createNamespaces : createLoopback;
  const { kind, delays } = await describe(createNetwork);
  const measured: RowResult[] = [];
  let steady: Observed | undefined;
  progress.begin('05 faults', chosen.length);
  for (const row of chosen) {
    const result = await runRow(row, { setting, createNetwork, steady });
    if (row.id === 'steady') steady = result.observed;
    measured.push(result);
    progress.step();
  }
  const phases = quick ? [] : await simulate();
  const compared = compare(measured, phases);
  const found = measured.map(({ id, what, holds, checks, seconds }): RowFindings => {
    return { id, what, holds, checks, seconds: DRAWN.includes(id) ? seconds : [] };
  });
  const { callsPerSecond, taskMs } = setting;
  return {
    fleet: { network: kind, delays, callsPerSecond, taskMs, rows: found, cost, compared },
  };
}

/** Runs the setting and the faults without sockets. */
async function simulate(): Promise<PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const setting of settings['5'] ?? [])
    results.push(...(await runSetting(setting, { seed: 1 })));
  return results;
}

async function describe(createNetwork: () => Network): Promise<Pick<Network, 'kind' | 'delays'>> {
  await using network = createNetwork();
  const { kind, delays } = network;
  return { kind, delays };
}
