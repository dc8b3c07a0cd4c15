import { at, bytesOf, numberAt, objectsOf, parse } from './json.ts';
import type { Row, Stated } from './stated.ts';

/** Returns the connections of a TripSearch. Prices are of one traveller: none is asked for. */
export function hafasRows(body: Uint8Array, passengers: number): readonly Row[] {
  const answer = parse(body);
  const results = objectsOf(at(answer, 'svcResL'));
  return results.flatMap((result, index) =>
    objectsOf(at(result, 'res', 'outConL')).map((connection): Row => {
      const alone = structuredClone(answer) as { svcResL: { res: { outConL: unknown } }[] };
      const own = alone.svcResL[index];
      if (own !== undefined) own.res.outConL = [connection];
      return { body: bytesOf(alone), stated: statedOf(connection, passengers) };
    }),
  );
}

function statedOf(connection: unknown, passengers: number): Stated {
  const amount = numberAt(connection, 'trfRes', 'totalPrice', 'amount');
  const currency = at(connection, 'trfRes', 'totalPrice', 'currency');
  return {
    minutes: minutesOf(at(connection, 'dur')),
    changes: numberAt(connection, 'chg'),
    ...(amount !== undefined &&
      typeof currency === 'string' && { total: { amount: amount * passengers, currency } }),
  };
}

/** `HHMMSS`, with two digits of days before it if it is longer. */
function minutesOf(duration: unknown): number | undefined {
  const parts = /^(\d\d)?(\d\d)(\d\d)\d\d$/.exec(String(duration));
  if (parts === null) return undefined;
  const [days = 0, hours = 0, minutes = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return days * 1440 + hours * 60 + minutes;
}
