import { CarrierError, cheapestTotal, formatMoney, type Journey } from '@ticketing/core';
import type { StationBook } from '@ticketing/stations';
import { readerOf } from './adapters.ts';
import type { Capture } from './captures.ts';
import type { Stated } from './wires/stated.ts';

/** Outcome of comparing one answer: journeys read, left out, and different. */
export interface Verdict {
  readonly capture: Capture;
  /** Journeys that were read, and agree with the answer. */
  readonly right: number;
  /** Differences: `journey 2: 125 minutes, read 65`. */
  readonly differs: readonly string[];
  /** Journeys that were left out, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Reasons why some answers cannot be read. */
  readonly failed: readonly string[];
}

/** Reads the answer as a whole, and each of its journeys alone, and compares them with the statements of the answer. */
export function compare(capture: Capture, stations: StationBook): Verdict {
  const reader = readerOf(capture, stations);
  const verdict = { right: 0, differs: [] as string[], leftOut: {}, failed: [] as string[] };
  let whole: ReturnType<typeof reader.read>;
  let rows: ReturnType<typeof reader.rows>;
  try {
    whole = reader.read(capture.body);
    rows = reader.rows();
  } catch (error) {
    if (saysNothing(error)) return { ...verdict, capture };
    return { ...verdict, capture, failed: [textOf(error)] };
  }
  const leftOut = whole.leftOut ?? {};
  if (rows === undefined) {
    return { ...verdict, capture, right: whole.journeys.length, leftOut };
  }
  for (const [index, { body, stated }] of rows.entries()) {
    const name = `journey ${index + 1}`;
    try {
      const [journey] = reader.read(body).journeys;
      const differences = journey === undefined ? [] : differencesOf(journey, stated);
      if (journey !== undefined && differences.length === 0) verdict.right += 1;
      for (const difference of differences) verdict.differs.push(`${name}: ${difference}`);
    } catch (error) {
      verdict.failed.push(`${name}: ${textOf(error)}`);
    }
  }
  return { ...verdict, capture, leftOut };
}

function differencesOf(journey: Journey, { minutes, changes, total }: Stated): readonly string[] {
  const own = cheapestTotal(journey);
  const price = total && formatMoney(total);
  const read = own === undefined ? 'no price' : formatMoney(own);
  return [
    minutes !== undefined && minutes !== journey.durationMinutes
      ? `${minutes} minutes, read ${journey.durationMinutes}`
      : '',
    changes !== undefined && changes !== journey.transfers
      ? `${changes} changes, read ${journey.transfers}`
      : '',
    // A price that the wire does not prove is none: that is no difference.
    price !== undefined && own !== undefined && price !== read ? `${price}, read ${read}` : '',
  ].filter((text) => text !== '');
}

/** True for the error of an answer that reports no journeys, which counts as read. */
function saysNothing(error: unknown): boolean {
  return (
    CarrierError.is(error) && ['NO_RESULTS', 'NOT_SERVED', 'DATE_OUT_OF_RANGE'].includes(error.code)
  );
}

function textOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return code === undefined ? message : `${code} ${message}`;
}
