import { type CarrierSimId, carrierOf, carrierSimIds } from '../timetable/sim-carriers.ts';
import { createAvloWire } from './avlo-wire.ts';
import { createHafasWire, hafasFaults } from './hafas/hafas-wire.ts';
import { createNavitiaWire, navitiaFaults } from './navitia/navitia-wire.ts';
import { createOjpWire, ojpFaults } from './ojp/ojp-wire.ts';
import { createOsdmWire, osdmFaults } from './osdm/osdm-wire.ts';
import { createOuigoWire, ouigoFaults } from './ouigo-wire.ts';
import { createRenfeWire, renfeFaults } from './renfe-wire.ts';
import type { FaultOptions, WireEntry } from './wire.ts';

/** The wire of each carrier. A new one is one more row; its faults are known to plans, types and the README's test. */
export const wires: {
  readonly renfe: WireEntry<typeof renfeFaults>;
  readonly ouigo: WireEntry<typeof ouigoFaults>;
  readonly avlo: WireEntry;
  readonly osdm: WireEntry<typeof osdmFaults>;
  readonly hafas: WireEntry<typeof hafasFaults>;
  readonly ojp: WireEntry<typeof ojpFaults>;
  readonly navitia: WireEntry<typeof navitiaFaults>;
} = {
  renfe: { create: createRenfeWire, faults: renfeFaults },
  ouigo: { create: createOuigoWire, faults: ouigoFaults, coding: 'br' },
  avlo: { create: createAvloWire },
  osdm: { create: createOsdmWire, faults: osdmFaults, pages: true },
  hafas: { create: createHafasWire, faults: hafasFaults, pages: true },
  ojp: { create: createOjpWire, faults: ojpFaults, pages: true },
  navitia: { create: createNavitiaWire, faults: navitiaFaults, pages: true },
} satisfies Record<CarrierSimId, AnyEntry>;

type FaultsOf<Entry> = Entry extends WireEntry<infer Faults> ? Faults : never;
type EveryFaults = FaultsOf<(typeof wires)[CarrierSimId]>;
type KindOf<Faults> = Faults extends unknown ? keyof Faults & string : never;
type OptionOf<Faults> = Faults extends unknown
  ? { [Kind in keyof Faults]: keyof Faults[Kind] & string }[keyof Faults]
  : never;

/** The kind of a fault that one wire has alone. */
export type WireFaultKind = KindOf<EveryFaults>;

/** An option of such a fault, a number. */
export type WireFaultOption = OptionOf<EveryFaults>;

type AnyEntry = WireEntry<Readonly<Record<string, FaultOptions>>>;

const entryOf = (carrier: CarrierSimId): AnyEntry => wires[carrier];

/** Every {@link WireFaultKind}. */
export const wireFaultKinds: readonly WireFaultKind[] = carrierSimIds.flatMap(
  (carrier) => Object.keys(entryOf(carrier).faults ?? {}) as WireFaultKind[],
);

/** Traits of a carrier that decide which fields its plans may have. */
export interface PlanTraits {
  /** Options of the wire's own faults, by kind. */
  readonly faults: Readonly<Record<string, FaultOptions>>;
  readonly hasTrains: boolean;
  readonly hasPrices: boolean;
  readonly hasPages: boolean;
}

/** Returns what plans may ask of a carrier of the simulator. */
export function planTraitsOf(carrier: CarrierSimId): PlanTraits {
  const { faults = {}, pages = false } = entryOf(carrier);
  const hasPrices = carrierOf(carrier).fares !== undefined;
  return { faults, hasTrains: true, hasPrices, hasPages: pages };
}
