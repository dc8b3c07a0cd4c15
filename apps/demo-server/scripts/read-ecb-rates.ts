import type { RateSource } from '@ticketing/core';
import { SaxesParser } from 'saxes';

/**
 * Reads the reference rates of the European Central Bank in their daily form, `eurofxref-daily.xml`: units of each currency for one euro, as
 * decimal text.
 *
 * @throws SyntaxError for text that is not well-formed, and for a document without a day or rates
 */
export function readEcbRates(xml: string): RateSource {
  let asOf: string | undefined;
  const perBase: Record<string, string> = {};
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', ({ message }) => {
    throw new SyntaxError(`Cannot read rates: the XML is not well-formed, ${message}`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'Cube') return;
    const { time, currency, rate } = attributes;
    if (time !== undefined) {
      // The forms of 90 days and of all days have the same elements.
      if (asOf !== undefined) throw new SyntaxError('Cannot read rates: they are of several days');
      asOf = time;
    }
    if (currency !== undefined && rate !== undefined) perBase[currency] = rate;
  });
  parser.write(xml).close();
  if (asOf === undefined || Object.keys(perBase).length === 0) {
    throw new SyntaxError('Cannot read rates: the document must have a day and its rates');
  }
  return { asOf, source: 'European Central Bank', base: 'EUR', perBase };
}
