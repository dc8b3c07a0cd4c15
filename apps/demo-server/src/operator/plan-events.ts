import type { NewEvent } from '../figures/operator-event.ts';

/** A fault as the simulator has it in the plan of a carrier. */
interface Fault {
  readonly kind: string;
  readonly share?: number;
}

/** A fault that an operator has set. */
interface InForce extends Fault {
  /** Epoch ms. */
  readonly since: number;
}

/** Faults that an operator has set, by the ids of the carriers. */
export type FaultsInForce = Map<string, InForce>;

/** Words for the behaviour of a carrier, by the kind of the fault. */
const WORDS: Readonly<Record<string, string>> = {
  hang: 'hang',
  error: 'fail',
  drip: 'drip',
  truncated: 'break off',
  'malformed-price': 'send wrong prices',
  'rate-limited': 'refuse calls',
  throttled: 'refuse some calls',
};

interface Change {
  readonly carrier: string;
  /** Name of the carrier. */
  readonly title: string;
  /** Fields that were changed, as they were sent. */
  readonly patch: unknown;
  /** Epoch ms. */
  readonly at: number;
}

/** Returns what follows from a change of a carrier's plan, and notes the fault in `inForce`. Nothing follows from an end without a fault. */
export function planEvents(
  { carrier, title, patch, at }: Change,
  inForce: FaultsInForce,
): NewEvent[] {
  const { fault, latency } = Object(patch) as {
    readonly fault?: Fault | null;
    readonly latency?: { readonly kind: string; readonly ms?: number };
  };
  const of = { at, process: '', carrier };
  const events: NewEvent[] = [];
  if (latency !== undefined) {
    const words =
      latency.kind === 'fixed' ? `answer in ${latency.ms} ms` : `${latency.kind} latency`;
    const text = `${title} set to ${words}`;
    events.push({ ...of, kind: 'latency-set', severity: 'note', text });
  }
  if (fault === undefined) return events;
  const before = inForce.get(carrier);
  if (fault === null) {
    inForce.delete(carrier);
    if (before === undefined) return events;
    const seconds = Math.max(1, Math.round((at - before.since) / 1000));
    const detail = `set to ${wordsOf(before)} for ${seconds} s`;
    const text = `${title} reset`;
    return [...events, { ...of, kind: 'fault-ended', severity: 'note', text, detail }];
  }
  inForce.set(carrier, { ...fault, since: before?.since ?? at });
  const detail = `share ${Math.round((fault.share ?? 1) * 100)} %`;
  const text = `${title} set to ${wordsOf(fault)}`;
  return [...events, { ...of, kind: 'fault-set', severity: 'bad', text, detail }];
}

function wordsOf({ kind }: Fault): string {
  return WORDS[kind] ?? kind;
}
