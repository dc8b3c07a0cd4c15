import type { OperatorView } from '../../figures/view-schema.ts';
import { counted } from '../words/amounts.ts';

type Process = OperatorView['processes'][number];
type Modes = OperatorView['modes'];

/** Returns whether a process can be ended from the page: something replaces it, and it is the server's own. */
export function mayKill({ kind, isElsewhere }: Process, { accept, controls }: Modes): boolean {
  if (controls !== 'on') return false;
  return (
    kind === 'task' ||
    (kind === 'host' && !isElsewhere) ||
    (kind === 'server' && accept !== 'single')
  );
}

/** Returns the consequence of killing a process in words. */
export function killQuestion({ kind, inFlight = 0 }: Process, _modes: Modes): string {
  if (kind === 'server') {
    return `Its ${counted(inFlight, 'request')} in flight break off; a new process starts in its slot.`;
  }
  const calls = inFlight === 1 ? 'call is' : 'calls are';
  return `Its ${inFlight} ${calls} retried; a new worker starts in its slot.`;
}
