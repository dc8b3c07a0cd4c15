// Converts the daily reference rates of the European Central Bank to the file that --rates reads: from standard input, to standard output.
import { text } from 'node:stream/consumers';
import { convertPrices } from '@ticketing/core';
import { readEcbRates } from './read-ecb-rates.ts';

try {
  const rates = readEcbRates(await text(process.stdin));
  convertPrices([], { rates });
  process.stdout.write(`${JSON.stringify(rates, undefined, 2)}\n`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
