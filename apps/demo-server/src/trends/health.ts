import type { Condition } from '../figures/trend-schemas.ts';
import type { ServerView } from '../figures/view-schema.ts';
import { type CarrierMemory, carrierSigns } from './carrier-signs.ts';
import type { Rates } from './rates.ts';
import { type Sign, signsOf } from './signs.ts';

/** Conditions of a server, and what is remembered for the next view. */
export interface Health {
  /** The worst first, then the oldest. */
  readonly conditions: readonly Condition[];
  readonly shown: ReadonlyMap<string, Shown>;
  readonly carriers: ReadonlyMap<string, CarrierMemory>;
}

/** A sign in successive views. */
interface Shown {
  readonly sign: Sign;
  /** Epoch ms. */
  readonly since: number;
  readonly last: number;
  /** True once the sign has lasted so long that it is a condition. */
  readonly isCondition: boolean;
}

const noHealth: Health = { conditions: [], shown: new Map(), carriers: new Map() };
const RANKS = { bad: 0, warn: 1, note: 2 };
/** A server of 64 x 64 processes could have more. */
const MOST = 200;

/** Returns the health of a server in its next view. `rates` have that view. */
export function healthOf(view: ServerView, rates: Rates, before: Health = noHealth): Health {
  const { at } = view;
  const ofCarriers = carrierSigns(view, rates, before.carriers);
  const signs = new Map(
    // Of several signs that differ in their words alone, the first counts.
    [...signsOf(view, rates), ...ofCarriers.signs].reverse().map((sign) => [keyOf(sign), sign]),
  );
  const shown = new Map<string, Shown>();
  for (const [key, sign] of signs) {
    const since = sign.since ?? before.shown.get(key)?.since ?? at;
    const was = before.shown.get(key)?.isCondition ?? false;
    shown.set(key, { sign, since, last: at, isCondition: was || at - since >= sign.afterMs });
  }
  for (const [key, each] of before.shown) {
    const isKept = each.isCondition && at - each.last < each.sign.untilMs;
    if (!signs.has(key) && isKept) shown.set(key, each);
  }
  const conditions = [...shown.values()]
    .flatMap((each) => (each.isCondition ? [conditionOf(each)] : []))
    .sort(
      (one, other) =>
        RANKS[one.severity] - RANKS[other.severity] ||
        one.since - other.since ||
        one.id.localeCompare(other.id),
    );
  return { conditions: conditions.slice(0, MOST), shown, carriers: ofCarriers.memories };
}

/** Returns the key of a condition: it stays while the condition does. */
export function keyOf({ subject, id, state, says }: Omit<Condition, 'since'>): string {
  return `${subject} ${id} ${state} ${says}`;
}

function conditionOf({ sign: { afterMs: _, untilMs: __, ...sign }, since }: Shown): Condition {
  return { ...sign, since };
}
