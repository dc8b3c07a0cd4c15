import { readWhole } from '../files/field-values.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';

const FILE = 'transfers.txt';

/** Rule of changes from a stop or station to another, or the same. */
export interface ChangeRule {
  readonly from: number;
  readonly to: number;
  /** Seconds; -1: no change is possible; absent: as long as the way takes. */
  readonly seconds: number | undefined;
}

/** Pair of trips between which people stay seated, or may not. */
export interface StayRule {
  readonly from: number;
  readonly to: number;
  readonly isPossible: boolean;
}

export interface TransferRows {
  readonly changes: readonly ChangeRule[];
  readonly stays: readonly StayRule[];
}

const columns = {
  required: ['transfer_type'],
  optional: [
    'from_stop_id',
    'to_stop_id',
    'min_transfer_time',
    'from_route_id',
    'to_route_id',
    'from_trip_id',
    'to_trip_id',
  ],
};

/** Reads rules of changes between stops, and of staying seated between trips. Rules for single routes or trips are left out. */
export async function readTransfers(
  reading: Reading,
  {
    stopOf,
    tripOf,
  }: {
    readonly stopOf: ReadonlyMap<string, number>;
    readonly tripOf: ReadonlyMap<string, number | undefined>;
  },
): Promise<TransferRows> {
  const changes: ChangeRule[] = [];
  const stays: StayRule[] = [];
  if (!reading.files.has(FILE)) return { changes, stays };
  const onRow = (values: readonly string[]): string | undefined => {
    const [type = '', fromStop = '', toStop = '', least = ''] = values;
    const [fromRoute = '', toRoute = '', fromTrip = '', toTrip = ''] = values.slice(4);
    if (type === '4' || type === '5') {
      const [from, to] = [tripOf.get(fromTrip), tripOf.get(toTrip)];
      if (!(tripOf.has(fromTrip) && tripOf.has(toTrip))) {
        return 'of an unknown trip';
      }
      if (from === undefined || to === undefined) return undefined;
      stays.push({ from, to, isPossible: type === '4' });
      return undefined;
    }
    if (fromRoute || toRoute || fromTrip || toTrip) {
      return 'for single routes or trips';
    }
    const from = stopOf.get(fromStop);
    const to = stopOf.get(toStop);
    if (from === undefined || to === undefined) return 'at an unknown stop';
    const minimum = readWhole(least);
    if (type === '2' && minimum === undefined) {
      return 'with a time that cannot be read';
    }
    if (!['', '0', '1', '2', '3'].includes(type)) return 'with an unknown type';
    // Of a timed change the second vehicle waits for the first.
    const seconds = type === '3' ? -1 : (minimum ?? (type === '1' ? 0 : undefined));
    changes.push({ from, to, seconds });
    return undefined;
  };
  await readRows(reading, FILE, { columns, onRow });
  return { changes, stays };
}
