import { oneOf, type Rule, wrongOption } from '@ticketing/kit';
import { type EuropeanCarrier, europeanCarriers } from './europe/carriers.ts';
import { type SpanishCarrier, spanishCarriers } from './spanish-carriers.ts';

/** One carrier: what it runs, and what it asks. */
export type SimCarrier = SpanishCarrier | EuropeanCarrier;

/** Every carrier of the simulator: ids, plans, routes and counts follow from it. A new one is a row of its network, and one of `wires`. */
export const simCarriers: typeof spanishCarriers & typeof europeanCarriers = {
  ...spanishCarriers,
  ...europeanCarriers,
};

/** The id of a carrier. */
export type CarrierSimId = keyof typeof simCarriers;

/** Every {@link CarrierSimId}, in the order of listings. */
export const carrierSimIds = Object.keys(simCarriers) as readonly CarrierSimId[];

/** Returns the data of a carrier. */
export function carrierOf(id: CarrierSimId): SimCarrier {
  return simCarriers[id];
}

const aCarrier: Rule = oneOf(...carrierSimIds);

/** Returns whether a value is a {@link CarrierSimId}. */
export function isCarrier(value: unknown): value is CarrierSimId {
  return aCarrier.test(value);
}

/** Returns the error for an unknown carrier. `known` are the valid ids. */
export function wrongCarrier(
  action: string,
  carrier: unknown,
  known: readonly string[] = carrierSimIds,
): RangeError {
  return new RangeError(wrongOption(action, 'carrier', oneOf(...known), carrier).message);
}

/** Returns one value for each carrier. */
export function perCarrier<T>(make: (carrier: CarrierSimId) => T): Record<CarrierSimId, T> {
  const entries = carrierSimIds.map((carrier) => [carrier, make(carrier)]);
  return Object.fromEntries(entries) as Record<CarrierSimId, T>;
}
