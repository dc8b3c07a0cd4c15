import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@ticketing/kit';
import type { Claim, ClaimOptions, Coordinator, Lease } from '../coordinator.ts';
import type { CoordinatorOptions } from '../create-coordinator.ts';

/** A kind of coordinator under test. */
export interface CoordinatorSubject {
  /** Creates one as another process would, over the same engine. The case closes it. */
  readonly create: (options: CoordinatorOptions) => Coordinator | Promise<Coordinator>;
}

type ClaimOf<Kind extends Claim['kind']> = Extract<Claim, { readonly kind: Kind }>;

/** A machine may be busy, and commands of these cases must not count as failed. */
const PATIENT_MS = 10_000;
/** Leases that no case sees run out. */
const LONG_MS = 60_000;
const LOOK_AGAIN_MS = 5;
const LONGEST_MS = 30_000;

/** The equipment of one case: its coordinators, its keys, and the checks at its end. */
export class CoordinatorStage {
  readonly #subject: CoordinatorSubject;
  readonly #coordinators: Coordinator[] = [];

  constructor(subject: CoordinatorSubject) {
    this.#subject = subject;
  }

  /** Returns a key that no other case has. */
  key(): string {
    return `conformance:${randomUUID()}`;
  }

  async coordinator(options: CoordinatorOptions = {}): Promise<Coordinator> {
    const coordinator = await this.#subject.create({ commandTimeoutMs: PATIENT_MS, ...options });
    this.#coordinators.push(coordinator);
    return coordinator;
  }

  async threeCoordinators(): Promise<[Coordinator, Coordinator, Coordinator]> {
    return [await this.coordinator(), await this.coordinator(), await this.coordinator()];
  }

  /** Creates one whose process hangs: it sends commands, but no timer of it fires, so it renews nothing. */
  hangingCoordinator(): Promise<Coordinator> {
    const clock: Clock = { now: systemClock.now, setTimeout: () => 0, clearTimeout: () => {} };
    return this.coordinator({ clock });
  }

  /** Closes what is open. @throws if a lease or a wait is left */
  async clear(): Promise<void> {
    await Promise.all(this.#coordinators.map((coordinator) => coordinator.close()));
    for (const coordinator of this.#coordinators) {
      const { held, waiting } = coordinator.stats();
      assert.deepEqual({ held, waiting }, { held: 0, waiting: 0 }, 'something is left after close');
    }
  }
}

/** Claims with a lease that outlives the case, and with a signal that never aborts. */
export function claim(
  coordinator: Coordinator,
  key: string,
  options: Partial<ClaimOptions> = {},
): Promise<Claim> {
  const { signal } = new AbortController();
  return coordinator.claim(key, { leaseMs: LONG_MS, signal, ...options });
}

/** Claims, and expects one kind of answer. */
export async function claimed<Kind extends Claim['kind']>(
  kind: Kind,
  coordinator: Coordinator,
  key: string,
  options: Partial<ClaimOptions> = {},
): Promise<ClaimOf<Kind>> {
  const answer = await claim(coordinator, key, options);
  assert.equal(answer.kind, kind, `a claim is answered with ${kind}`);
  return answer as ClaimOf<Kind>;
}

export async function leased(
  coordinator: Coordinator,
  key: string,
  options: Partial<ClaimOptions> = {},
): Promise<Lease> {
  return (await claimed('lease', coordinator, key, options)).lease;
}

/** Expects that another one loads the key. */
export async function assertHeld(coordinator: Coordinator, key: string): Promise<void> {
  (await claimed('wait', coordinator, key)).leave();
}

/** Waits as callers do: until the answer is another one than to wait. Leaves each wait. */
export async function awaited(
  coordinator: Coordinator,
  key: string,
  first: ClaimOf<'wait'>,
  options: Partial<ClaimOptions> = {},
): Promise<Claim> {
  let wait = first;
  for (;;) {
    await within(wait.woken, 'the end of a wait');
    const answer = await claim(coordinator, key, { ...options, after: first.fence });
    wait.leave();
    if (answer.kind !== 'wait') return answer;
    wait = answer;
  }
}

export function value(text: string, loadMs = 5): Parameters<Lease['finish']>[0] {
  return { kind: 'value', bytes: Buffer.from(text), loadMs };
}

export function failure(text: string): Parameters<Lease['finish']>[0] {
  return { kind: 'failure', bytes: Buffer.from(text) };
}

/** Returns the text of a value or a failure. */
export function textOf(answer: Claim): string {
  assert.ok(answer.kind === 'value' || answer.kind === 'failure', `it has bytes: ${answer.kind}`);
  return Buffer.from(answer.bytes).toString();
}

/** Polls for what emits no event. */
export async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; !(await check()); ) {
    assert.ok(performance.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), LONGEST_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
