import { readdirSync } from 'node:fs';
import type { WorkerSource } from '../src/index.ts';
import { forkWorkers } from '../src/source/fork-workers.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Node runs TypeScript from these versions on; before, workers import what was built. */
export const runsSources =
  process.env['WORKERS_FROM'] !== 'dist' && (major > 22 || (major === 22 && minor >= 18));

export const execArgv: readonly string[] = [
  ...(runsSources ? ['--conditions=@ticketing/source'] : []),
  '--no-warnings',
];

/** Processes that run one of the modules in `workers/`. */
export function forked(
  name: string,
  workers: number,
  env: Readonly<Record<string, string>> = {},
): WorkerSource {
  const module = new URL(`workers/${name}.mjs`, import.meta.url);
  return forkWorkers(module, { workers, execArgv, env: { ...process.env, ...env } });
}

/** Returns how many descriptors a process has open. */
export function openDescriptors(pid: number | 'self' = 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
