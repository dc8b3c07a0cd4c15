import type { CarrierId, Journey } from '../model/journey.ts';

/** The names of operators of one search, as far as the answers name them. */
export interface Operators {
  /** Adds those of an answer. Of several names, that of the first carrier in order counts. */
  learn(carrier: CarrierId, names: Readonly<Record<string, string>> | undefined): void;
  /** Returns the names of these journeys' operators that are new, or another now. */
  take(journeys: readonly Journey[]): Record<string, string>;
}

/** Starts without names. */
export function createOperators(carriers: readonly { readonly id: CarrierId }[]): Operators {
  const known = new Map<string, { readonly name: string; readonly rank: number }>();
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
      const named: [string, string][] = [];
      const tell = (id: string): void => {
        const name = known.get(id)?.name;
        if (name === undefined || told.get(id) === name) return;
        told.set(id, name);
        named.push([id, name]);
      };
      if (known.size === 0) return {};
      for (const id of told.keys()) tell(id);
      for (const { legs } of journeys) {
        for (const leg of legs) {
          if (leg.kind !== 'ride') continue;
          if (leg.operator !== undefined) tell(leg.operator);
          for (const { operator } of leg.sections ?? []) if (operator !== undefined) tell(operator);
        }
      }
      return Object.fromEntries(named);
    },
  };
}
