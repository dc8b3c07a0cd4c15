import type { ServerView } from '../figures/view-schema.ts';

/** Part of the deployment within which equal calls share a load. */
export type Scope = ServerView['coalesce'][number]['scope'];

const SCOPES: Readonly<Record<string, Scope>> = {
  on: 'process',
  machine: 'machine',
  fleet: 'fleet',
  shared: 'shared',
};

/** Returns the widest scope of `--coalesce`; nothing with `off`. */
export function sharedScope(coalesce: string): Scope | undefined {
  return SCOPES[coalesce];
}
