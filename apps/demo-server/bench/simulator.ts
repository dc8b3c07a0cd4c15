import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stationTable } from '@ticketing/carriers';
import { addDays, type SearchQuery, type Station } from '@ticketing/core';

const PROGRAM = `
  import { startCarrierSim } from '@ticketing/carrier-sim';
  const latency = { kind: 'fixed', ms: 0 };
  const sim = await startCarrierSim({ plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } } });
  console.log(sim.url);
`;

/** Carriers that the benches of searches ask. */
export const ASKED = ['renfe', 'ouigo', 'avlo'] as const;

/** Starts a simulator of carriers that answer at once, in a process of its own, whose processor time is not measured. */
export async function startSimulator(): Promise<{ readonly url: string; close(): void }> {
  const argv = ['--conditions=@ticketing/source', '--input-type=module', '-e', PROGRAM];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), close: () => void child.kill() };
}

const DAYS = 30;

/** Questions of different days, in turn: nothing is faster because it was asked just before. */
export function queries(): readonly SearchQuery[] {
  const [origin, destination] = ['uic:7160000', 'uic:7171801'].map((id): Station | undefined =>
    stationTable.byId(id),
  );
  assert.ok(origin !== undefined && destination !== undefined);
  const today = new Date().toISOString().slice(0, 10);
  return Array.from({ length: DAYS }, (_, day) => ({
    origin,
    destination,
    date: addDays(today, 2 + day),
  }));
}
