import type { CarrierId, Journey } from '../model/journey.ts';

/** The names of operators of one search, as far as the answers name them. */
export interface Operators {
  /** Adds those of an answer. Of several names, that of the first carrier in order counts. */
  learn(carrier: CarrierId, names: Readonly<Record<string, string>> | undefined): void;
  /** Returns the names that are new, or another now, of the operators of these journeys and of those before. */
  take(journeys: readonly Journey[]): Record<string, string>;
}

/** Starts without names. */
export function createOperators(carriers: readonly { readonly id: CarrierId }[]): Operators {
  const known = new Map<string, { readonly name: string; readonly rank: number }>();
  const used = new Set<string>();
  const told = new Map<string, string>();
  return {
    learn(carrier, names = {}) {
      const rank = carriers.findIndex(({ id }) => id === carrier);
      for (const [id, name] of Object.entries(names)) {
        const before = known.get(id);
        if (before === undefined || rank < before.rank) known.set(id, { name, rank });
      }
    },
    take(journeys) {
      for (const { legs } of journeys) {
        for (const leg of legs) {
          if (leg.kind !== 'ride') continue;
          if (leg.operator !== undefined) used.add(leg.operator);
          for (const { operator } of leg.sections ?? [])
            if (operator !== undefined) used.add(operator);
        }
      }
      // A later carrier may name the operator of an earlier one.
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
