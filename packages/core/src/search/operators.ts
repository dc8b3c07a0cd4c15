import type { CarrierId, Journey } from '../model/journey.ts';

/** The names of operators of one search, as far as the answers name them. */
export interface Operators {
  /** Adds the operators of an answer. Of several names, the name of the first carrier in order counts. */
  learn(carrier: CarrierId, names: Readonly<Record<string, string>> | undefined): void;
  /** Returns the names that are new, or another now, of the operators of these journeys and of those before. */
  take(journeys: readonly Journey[]): Record<string, string>;
}

/** Starts without names. */
export function createOperators(carriers: readonly { readonly id: CarrierId }[]): Operators {
  const known = new Map<string, { readonly name: string; readonly rank: number }>();
  const used = new Set<string>();
  const told = new Map<string, string>();
  /** Journeys of which no operator is in `used` yet. */
  const unread: (readonly Journey[])[] = [];
  return {
    learn(carrier, names = {}) {
      const rank = carriers.findIndex(({ id }) => id === carrier);
      for (const [id, name] of Object.entries(names)) {
        const before = known.get(id);
        if (before === undefined || rank < before.rank) known.set(id, { name, rank });
      }
    },
    take(journeys) {
      // A later carrier may name the operator of an earlier one.
      unread.push(journeys);
      if (known.size === 0) return {};
      for (const some of unread.splice(0)) addOperators(used, some);
      const named: [string, string][] = [];
      for (const id of used) {
        const name = known.get(id)?.name;
        if (name === undefined || told.get(id) === name) continue;
        told.set(id, name);
        named.push([id, name]);
      }
      return Object.fromEntries(named);
    },
  };
}

/** Adds the operators of the rides of journeys, and of their sections. */
function addOperators(used: Set<string>, journeys: readonly Journey[]): void {
  // Most journeys are of the operator of the one before.
  let last: string | undefined;
  const add = (operator: string | undefined): void => {
    if (operator === undefined || operator === last) return;
    used.add(operator);
    last = operator;
  };
  for (const { legs } of journeys) {
    for (const leg of legs) {
      if (leg.kind !== 'ride') continue;
      add(leg.operator);
      if (leg.sections !== undefined) for (const { operator } of leg.sections) add(operator);
    }
  }
}
