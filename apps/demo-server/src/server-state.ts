import type { Parts } from './compose.ts';

/** What the routes see of the process they run in. */
export interface ServerState {
  readonly parts: Parts;
  config(): Record<string, unknown>;
  draining(): boolean;
}
