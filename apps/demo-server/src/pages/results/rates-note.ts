import type { AppliedRates, Journey } from '@ticketing/core';
import { dayText } from '../journey/display-texts.ts';
import type { ShownSearch } from './places.ts';

/** Returns the note on the rates of a search that is shown. */
export function ratesNoteOf({ state, address }: ShownSearch): string | undefined {
  if (state.phase === 'idle' || state.carriers.length === 0) return undefined;
  return ratesNote(state.rates, {
    journeys: state.journeys.values(),
    asked: address.get('currency'),
  });
}

/** Returns a sentence on the exchange rates of a search, where any price is converted, or was asked for and is not. */
export function ratesNote(
  rates: AppliedRates | undefined,
  {
    journeys,
    asked,
  }: {
    readonly journeys: Iterable<Journey>;
    /** Currency of the address, if it has one. */
    readonly asked: string | null;
  },
): string | undefined {
  if (rates === undefined) {
    return asked ? 'Prices are not converted: this server has no exchange rates.' : undefined;
  }
  const { source, asOf, currency, unused } = rates;
  const day = `${dayText(asOf)} ${asOf.slice(0, 4)}`;
  switch (unused) {
    case undefined:
      return anyConverted(journeys)
        ? `≈ Converted to ${currency} by rates of ${source} of ${day}. The seller’s own price is paid.`
        : undefined;
    case 'no-rate':
      return `Prices are not converted: ${source} has no rate for ${currency}.`;
    case 'too-old':
    case 'too-new':
      return `Prices are not converted: the rates of ${source} are of ${day}.`;
  }
}

function anyConverted(journeys: Iterable<Journey>): boolean {
  for (const { offers } of journeys) {
    for (const { total, converted } of offers) {
      if (converted !== undefined && converted.currency !== total.currency) return true;
    }
  }
  return false;
}
