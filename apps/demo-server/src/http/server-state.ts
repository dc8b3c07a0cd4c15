import type { Parts } from '../compose.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { hideSecrets } from '../flags/flag-values.ts';
import type { ProcessStatus } from '../serving/cluster-tasks.ts';

/** What the routes see of the process they run in. */
export interface ServerState {
  readonly parts: Parts;
  draining(): boolean;
  config(): Record<string, unknown>;
  /** Every process of the server, this one too. */
  processes(): Promise<readonly ProcessStatus[]>;
}

/** The flags without what is secret. */
export function shownFlags(
  { ouigo: _secret, databaseUrl, ...flags }: Flags,
  carriersUrl: string,
): Record<string, unknown> {
  return { ...flags, databaseUrl: databaseUrl && hideSecrets(databaseUrl), carriersUrl };
}

/** What a serving process tells of itself. */
export function ownStatus(parts: Parts): ProcessStatus {
  return { pid: process.pid, role: 'server', stats: parts.stats(), taskPids: parts.taskPids() };
}
