// One answer of each carrier in the shapes of real servers, taken apart, and the ways in which servers write the same.
import {
  createTimetable,
  encodeAvlo,
  encodeHafas,
  encodeNavitia,
  encodeOjp,
  encodeOsdm,
  encodeOuigo,
  encodeRenfe,
} from '@ticketing/carrier-sim';
import type { CarrierAnswer } from '@ticketing/core';
import { bytesOf, type carrierIds, createCarriers, queryOf } from './upstream.ts';

export type Id = (typeof carrierIds)[number];

const carriers = createCarriers('http://127.0.0.1:1');
const date = '2026-12-01';
const receivedAt = 1;

/** Pairs between which people change trains, where the wire has changes. */
const pairs: Readonly<Record<Id, readonly [origin: string, destination: string]>> = {
  renfe: ['7171801', '7151003'],
  ouigo: ['7160000', '7171801'],
  avlo: ['7160000', '7171801'],
  osdm: ['8768600', '8507000'],
  hafas: ['7015400', '8301700'],
  ojp: ['8768600', '8507000'],
  navitia: ['7015400', '8301700'],
};

/** How an answer of a carrier is written and read. */
export interface Shape {
  /** A sound answer: a value of JSON, or a text of XML. */
  readonly answer: unknown;
  readonly text: (answer: unknown) => string;
  readonly read: (body: Uint8Array) => CarrierAnswer;
}

/** Reads a text as the answer of a carrier. */
export function readText(id: Id, text: string): CarrierAnswer {
  return shapes[id].read(bytesOf(text));
}

export function readAnswer(id: Id, answer: unknown): CarrierAnswer {
  return readText(id, shapes[id].text(answer));
}

const trainsOf = (carrier: Id) => {
  const [origin, destination] = pairs[carrier];
  return createTimetable({ seed: 1 }).trains({ carrier, origin, destination, date });
};
const queryOfPair = (id: Id) => queryOf(...pairs[id], date);
const later = { atMs: 0, by: 'departure', direction: 'later' } as const;

/** Keys without quotes, and dates: all that a literal of the shop has beside JSON. */
const PIECES = /"(?:[^"\\]|\\.)*"|([A-Za-z_$][\w$]*)(?=\s*:)|new Date\((-?\d+)\)/g;

const [BEFORE = '', LITERAL = '', AFTER = ''] =
  /^(.*?handleCallback\("\d+","\d+",)(\{.*\})(\);.*)$/s
    .exec(encodeRenfe(trainsOf('renfe')))
    ?.slice(1) ?? [];

export const shapes: Readonly<Record<Id, Shape>> = {
  renfe: {
    answer: JSON.parse(
      LITERAL.replace(PIECES, (piece, key?: string, ms?: string) =>
        key === undefined ? (ms ?? piece) : `"${key}"`,
      ),
    ),
    text: (answer) => `${BEFORE}${JSON.stringify(answer)}${AFTER}`,
    read: (body) => carriers.renfe.normalise({ body, receivedAt }, queryOfPair('renfe')),
  },
  ouigo: {
    answer: JSON.parse(encodeOuigo(trainsOf('ouigo'))),
    text: JSON.stringify,
    read: (body) => carriers.ouigo.normalise({ body, receivedAt }, queryOfPair('ouigo')),
  },
  avlo: {
    answer: JSON.parse(encodeAvlo(trainsOf('avlo'))),
    text: JSON.stringify,
    read: (body) => carriers.avlo.normalise({ days: [body], receivedAt }, queryOfPair('avlo')),
  },
  osdm: {
    answer: JSON.parse(encodeOsdm(trainsOf('osdm'))),
    text: JSON.stringify,
    read: (offers) =>
      carriers.osdm.normalise(
        { pages: [{ ask: later, offers }], whole: true, receivedAt },
        queryOfPair('osdm'),
      ),
  },
  hafas: {
    answer: JSON.parse(encodeHafas(trainsOf('hafas'))),
    text: JSON.stringify,
    read: (body) =>
      carriers.hafas.normalise(
        { pages: [{ body, receivedAt }], ask: { kind: 'earlier', atMs: 7e12 }, ended: false },
        queryOfPair('hafas'),
      ),
  },
  ojp: {
    answer: encodeOjp(trainsOf('ojp')),
    text: String,
    read: (body) =>
      carriers.ojp.normalise(
        { question: { ...later, untilMs: 8e14 }, answers: [{ status: 200, body }], whole: true },
        queryOfPair('ojp'),
      ),
  },
  navitia: {
    answer: JSON.parse(encodeNavitia(trainsOf('navitia'))),
    text: JSON.stringify,
    read: (body) =>
      carriers.navitia.normalise(
        {
          question: { ...later, untilMs: 8e14 },
          answers: [{ status: 200, body }],
          whole: true,
          receivedAt: 1,
        },
        queryOfPair('navitia'),
      ),
  },
};

type Fields = Readonly<Record<string, unknown>>;

/** Returns an answer with another value in each field that `change` has. */
export function withFields(
  answer: unknown,
  change: (name: string, value: unknown) => unknown,
): unknown {
  if (Array.isArray(answer)) return answer.map((one) => withFields(one, change));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer as Fields).map(([name, value]) => [
      name,
      withFields(change(name, value), change),
    ]),
  );
}

/** Returns an answer in which every list of one element is that element. */
export function withoutLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length === 1 ? withoutLists(value[0]) : value.map(withoutLists);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Fields).map(([name, one]) => [name, withoutLists(one)]),
  );
}
