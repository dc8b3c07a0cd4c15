import type { Capabilities } from '@ticketing/dispatch';
import type { Stage } from './stage.ts';

/** One promise of a dispatcher, for any test runner. */
export interface ConformanceCase {
  /** Unique among the cases. */
  readonly name: string;
  /** Why the subject need not keep the promise; `undefined` if it must. */
  readonly skip: string | undefined;
  /** Makes dispatchers, uses them and closes them. @throws what is not as promised, or not left as it was found */
  run(): Promise<void>;
}

/** A case before it has a subject. */
export interface CaseDraft {
  readonly name: string;
  /** Why a dispatcher that can do no more cannot be asked. Default: each can. */
  readonly unless?: (capabilities: Capabilities) => string | undefined;
  /** Whether the subject must make workers with a small heap. */
  readonly needsSmallHeap?: true;
  /** Whether the subject's workers must give back what they have not begun. */
  readonly needsReclaim?: true;
  readonly act: (stage: Stage) => Promise<void>;
}

/** Tasks that end their worker, or let nothing else run. */
export function needsIsolation({ isolation }: Capabilities): string | undefined {
  return isolation === 'none' ? 'the task would stop or end the caller too' : undefined;
}

export function needsProcess({ isolation }: Capabilities): string | undefined {
  return isolation === 'process' ? undefined : 'workers are not processes';
}

export function needsHardKill({ hardKill }: Capabilities): string | undefined {
  return hardKill ? undefined : 'a task that does not end by itself cannot be ended';
}

export function needsTransfer({ transfer, isolation }: Capabilities): string | undefined {
  return transfer ? needsCopies({ isolation }) : 'buffers cannot be moved';
}

export function needsNoTransfer({ transfer }: Capabilities): string | undefined {
  return transfer ? 'buffers can be moved' : undefined;
}

export function needsCopies({ isolation }: Pick<Capabilities, 'isolation'>): string | undefined {
  return isolation === 'none' ? 'inputs and results are handed over as they are' : undefined;
}

/** Workers that are not ready before their dispatcher can be used. */
export function needsSlowStart({ isolation }: Capabilities): string | undefined {
  return isolation === 'none' ? 'workers are ready within a turn' : undefined;
}
