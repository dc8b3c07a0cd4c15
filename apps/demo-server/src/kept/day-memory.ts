import type { CarrierAnswer, CarrierQuery } from '@ticketing/core';
import { answerOf, bytesOf, type CarrierRecord, isWhole } from './carrier-record.ts';

/** Answers of whole days, for calendars: they may be older than what a search is given. */
export interface DayMemory {
  /** Keeps an answer, if it is of a whole day and has all that the carrier has. */
  remember(asked: AskedDay, record: CarrierRecord): void;
  /**
   * Returns the answer to a question, `undefined` if there is none.
   *
   * @throws CarrierError of an answer that there is nothing, and `NOT_SERVED` of any day of the pair
   */
  recall(asked: AskedDay): CarrierAnswer | undefined;
}

/** A question to a carrier, and its key. */
interface AskedDay {
  readonly carrier: string;
  readonly id: string;
  readonly query: CarrierQuery;
}

/** Milliseconds for which a day counts. */
const LIFE_MS = 3_600_000;
const MAX_DAYS = 2000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Creates a memory of days, the oldest of which make room for new ones. `now`: epoch ms. */
export function createDayMemory(now: () => number): DayMemory {
  const days = createDays(now);
  const unserved = createDays(now);
  return {
    remember({ carrier, id, query }, record) {
      const { time, page, calendarUntil, returns } = query;
      const isDay = [time, page, calendarUntil, returns].every((field) => field === undefined);
      if (!isDay || !isWhole(record)) return;
      const { outcome } = record;
      if (outcome.kind === 'nothing' && outcome.code === 'NOT_SERVED') {
        unserved.set(pairKey(carrier, query), record);
      } else {
        days.set(id, record);
      }
    },
    recall({ carrier, id, query }) {
      const record = unserved.get(pairKey(carrier, query)) ?? days.get(id);
      return record && answerOf(record);
    },
  };
}

function pairKey(carrier: string, { origin, destination }: CarrierQuery): string {
  return JSON.stringify([carrier, origin.id, destination.id]);
}

/** Records by key, within bounds. */
function createDays(now: () => number): {
  set(key: string, record: CarrierRecord): void;
  get(key: string): CarrierRecord | undefined;
} {
  const records = new Map<string, { readonly record: CarrierRecord; readonly bytes: number }>();
  let total = 0;
  function drop(key: string): void {
    total -= records.get(key)?.bytes ?? 0;
    records.delete(key);
  }
  return {
    set(key, record) {
      if (records.get(key)?.record === record) return;
      drop(key);
      const bytes = bytesOf(record);
      if (bytes > MAX_BYTES) return;
      records.set(key, { record, bytes });
      total += bytes;
      for (const oldest of records.keys()) {
        if (records.size <= MAX_DAYS && total <= MAX_BYTES) break;
        drop(oldest);
      }
    },
    get(key) {
      const record = records.get(key)?.record;
      if (record === undefined) return undefined;
      const { at, validUntil = Number.POSITIVE_INFINITY } = record;
      if (now() < Math.min(at + LIFE_MS, validUntil)) return record;
      drop(key);
      return undefined;
    },
  };
}
