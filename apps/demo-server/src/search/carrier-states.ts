import type { CarrierState, CarrierStatus } from '@ticketing/core';

export type SettledState = Exclude<CarrierState, 'running'>;
/** Meaning of a state for who asked. `busy`: it was not asked, or refused; it may answer if it is asked later. */
type Meaning = 'answered' | 'late' | 'failed' | 'busy' | 'left';

/** Every state in which a carrier ends: each list of states is made of it. */
const meanings = {
  ok: 'answered',
  empty: 'answered',
  timeout: 'late',
  error: 'failed',
  cancelled: 'left',
  'rejected-busy': 'busy',
  'rate-limited': 'busy',
  'circuit-open': 'busy',
} as const satisfies Record<SettledState, Meaning>;

export const SETTLED_STATES = Object.keys(meanings) as readonly SettledState[];
/** States of carriers that answered, if only that there are no trains. */
export const ANSWERED_STATES = statesOf('answered');
/** States of carriers that did not answer and were not late. */
export const FAILED_STATES = statesOf('failed', 'busy');

function statesOf(...wanted: readonly Meaning[]): readonly SettledState[] {
  return SETTLED_STATES.filter((state) => wanted.includes(meanings[state]));
}

type Ended = Pick<CarrierStatus, 'state'>;

/** True for a carrier that was not asked, or refused, and may answer if it is asked later. */
export function isBusy({ state }: Ended): boolean {
  return state !== 'running' && meanings[state] === 'busy';
}

/** True for a carrier that answered. */
export function hasAnswered({ state }: Ended): boolean {
  return state !== 'running' && meanings[state] === 'answered';
}

/** True for a carrier that ended without an answer. */
export function hasFailed({ state }: Ended): boolean {
  return state !== 'running' && meanings[state] !== 'answered';
}
