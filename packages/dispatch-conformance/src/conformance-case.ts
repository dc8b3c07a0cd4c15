import type { Capabilities } from '@ticketing/dispatch';
import type { FleetSubject, Stage } from './stage.ts';

/** One guarantee of a dispatcher, for any test runner. */
export interface ConformanceCase {
  /** Name of the case, unique in the suite. */
  readonly name: string;
  /** Reason why the subject need not give the guarantee; `undefined` if it must. */
  readonly skip: string | undefined;
  /** Creates dispatchers, uses them and closes them. @throws Error for a broken guarantee, and for a resource that is left behind */
  run(): Promise<void>;
}

/** A case without a subject. */
export interface CaseDraft {
  readonly name: string;
  /** Returns the reason to skip a dispatcher with such capabilities. Default: none is skipped. */
  readonly unless?: Unless;
  /** True if the subject must start workers with a small heap. */
  readonly needsSmallHeap?: true;
  /** True if the subject's workers must return calls that they have not begun. */
  readonly needsReclaim?: true;
  /** True if the subject's workers must get `workerData`. */
  readonly needsWorkerData?: true;
  /** Name of a method that the subject's `fleet` must have. */
  readonly needsFleet?: keyof FleetSubject;
  readonly act: Act;
}
type Act = (stage: Stage) => Promise<void>;
type Unless = (abilities: Abilities) => string | undefined;

/** Abilities of a subject on which cases depend: its capabilities, and `copies` if it copies inputs and results. */
export interface Abilities extends Capabilities {
  readonly copies: boolean;
}

/** Drafts a case. `unless` returns the reason why a dispatcher with such abilities need not give the guarantee. */
export function test(name: string, act: Act): CaseDraft;
export function test(name: string, unless: Unless, act: Act): CaseDraft;
export function test(name: string, first: Act | Unless, second?: Act): CaseDraft {
  if (second === undefined) return { name, act: first as Act };
  return { name, unless: first as Unless, act: second };
}

/** Skips subjects without isolation, for tasks that end or block their worker. */
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

/** Skips subjects whose workers are ready as soon as their dispatcher is. */
export function needsSlowStart({ isolation }: Capabilities): string | undefined {
  return isolation === 'none' ? 'workers are ready within a turn' : undefined;
}
