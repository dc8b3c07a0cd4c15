import type { Capabilities } from '@ticketing/dispatch';
import type { FleetSubject, Stage } from './stage.ts';

/** One promise of a dispatcher, for any test runner. */
export interface ConformanceCase {
  /** Unique among the cases. */
  readonly name: string;
  /** Why the subject need not keep the promise; `undefined` if it must keep it. */
  readonly skip: string | undefined;
  /** Creates dispatchers, uses them and closes them. @throws for a broken promise, and for what is left behind */
  run(): Promise<void>;
}

/** A case before it has a subject. */
export interface CaseDraft {
  readonly name: string;
  /** Returns why a dispatcher with such capabilities is skipped. Default: none is. */
  readonly unless?: Unless;
  /** Whether the subject must make workers with a small heap. */
  readonly needsSmallHeap?: true;
  /** Whether the subject's workers must return calls that they have not begun. */
  readonly needsReclaim?: true;
  /** Whether the subject's workers must get `workerData`. */
  readonly needsWorkerData?: true;
  /** What the subject's `fleet` must have. */
  readonly needsFleet?: keyof FleetSubject;
  readonly act: Act;
}
type Act = (stage: Stage) => Promise<void>;
type Unless = (abilities: Abilities) => string | undefined;

/** What cases depend on: the capabilities of a subject, and whether values are copied on their way. */
export interface Abilities extends Capabilities {
  readonly copies: boolean;
}

/** Drafts a case. `unless` returns why a dispatcher with such capabilities need not keep the promise. */
export function test(name: string, act: Act): CaseDraft;
export function test(name: string, unless: Unless, act: Act): CaseDraft;
export function test(name: string, first: Act | Unless, second?: Act): CaseDraft {
  if (second === undefined) return { name, act: first as Act };
  return { name, unless: first as Unless, act: second };
}

/** For tasks that end their worker, or let nothing else run. */
export function needsIsolation({ isolation }: Capabilities): string | undefined {
  return isolation === 'none' ? 'the task would stop or end the caller too' : undefined;
}

export function needsProcess({ isolation }: Capabilities): string | undefined {
  return isolation === 'process' ? undefined : 'workers are not processes';
}

export function needsHardKill({ hardKill }: Capabilities): string | undefined {
  return hardKill ? undefined : 'a task that does not end by itself cannot be ended';
}

export function needsTransfer({ transfer }: Capabilities): string | undefined {
  return transfer ? undefined : 'buffers cannot be moved';
}

export function needsStreams({ streams }: Capabilities): string | undefined {
  return streams ? undefined : 'it has no streams';
}

export function needsNoTransfer({ transfer }: Capabilities): string | undefined {
  return transfer ? 'buffers can be moved' : undefined;
}

export function needsCopies({ copies }: Abilities): string | undefined {
  return copies ? undefined : 'inputs and results are handed over as they are';
}

/** For workers that are not ready before their dispatcher can be used. */
export function needsSlowStart({ isolation }: Capabilities): string | undefined {
  return isolation === 'none' ? 'workers are ready within a turn' : undefined;
}
