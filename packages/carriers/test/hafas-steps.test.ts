import { hafasSimProfile } from '@ticketing/carrier-sim';
import { CarrierError } from '@ticketing/core';
import { expect, test } from 'vitest';
import { resolveProfile } from '../src/hafas/hafas-profile.ts';
import { normaliseHafas } from '../src/hafas/normalise.ts';
import { createDecoder } from '../src/wire/decoder.ts';
import { bytesOf, fixture, queryFor } from './upstream.ts';

const profile = resolveProfile(hafasSimProfile);

/** How often reading an answer looks at a value of it, whatever comes of it: the same on every machine. */
function stepsOf(text: string): number {
  let steps = 0;
  const counted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {
      get(target, name) {
        steps += 1;
        return counted(Reflect.get(target, name));
      },
      has(target, name) {
        steps += 1;
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor(target, name) {
        steps += 1;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
  };
  const decoder = createDecoder('hafas', { system: 'ibnr' });
  const read = { ...decoder.read, json: (bytes: Uint8Array) => counted(decoder.read.json(bytes)) };
  const pages = [{ body: bytesOf(text), receivedAt: 1 }];
  const wire = { pages, ask: { kind: 'time', atMs: 0 }, ended: false } as const;
  try {
    const query = { ...queryFor('hafas'), stops: true };
    normaliseHafas({ decoder: { ...decoder, read }, profile }, wire, query);
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
  }
  return steps;
}

const golden = new TextDecoder().decode(fixture('hafas.json'));

function grown(
  change: (answer: { common: Record<string, unknown[]>; outConL: unknown[] }) => void,
): string {
  const answer = JSON.parse(golden);
  change(answer.svcResL[0].res);
  return JSON.stringify(answer);
}

const times = (list: unknown[], n: number): unknown[] =>
  Array.from({ length: n }, () => list).flat();

const growths: Readonly<Record<string, (n: number) => string>> = {
  connections: (n) =>
    grown((answer) => {
      answer.outConL = times(answer.outConL, n);
    }),
  'connections, each with a station of its own': (n) =>
    grown(({ common, outConL }) => {
      const template = JSON.stringify(outConL[3]);
      common['locL'] = Array.from({ length: 4 * n }, (_, index) => ({
        lid: `A=1@L=${9_000_000 + index}@`,
      }));
      outConL.splice(
        0,
        4,
        ...Array.from({ length: 4 * n }, (_, index) =>
          JSON.parse(template.replace('"locX":1', `"locX":${index}`)),
        ),
      );
    }),
  'sections of one connection': (n) =>
    grown(({ outConL }) => {
      const [first] = outConL as { secL: unknown[] }[];
      if (first) first.secL = times(first.secL, 4 * n);
    }),
  'fares of one connection': (n) =>
    grown(({ outConL }) => {
      const [first] = outConL as { trfRes: { fareSetL: unknown[] } }[];
      if (first) first.trfRes.fareSetL = times(first.trfRes.fareSetL, 4 * n);
    }),
  'pointers to one remark': (n) =>
    grown(({ outConL }) => {
      const [first] = outConL as { secL: [{ jny: { msgL: unknown[] } }] }[];
      if (first) first.secL[0].jny.msgL = times(first.secL[0].jny.msgL, 10 * n);
    }),
  'remarks, each with a pointer': (n) =>
    grown(({ common, outConL }) => {
      common['remL'] = times(common['remL'] ?? [], 10 * n);
      const [first] = outConL as { secL: [{ jny: { msgL: unknown[] } }] }[];
      const msgL = common['remL'].map((_, remX) => ({ type: 'REM', remX }));
      if (first) first.secL[0].jny.msgL = msgL;
    }),
  'connections that point to each remark': (n) =>
    grown((answer) => {
      answer.outConL = times(answer.outConL, n).map((one) => {
        const msgL = Array.from({ length: 5 }, (_, remX) => ({ type: 'REM', remX }));
        return { ...(one as object), msgL };
      });
    }),
  'stops of one ride': (n) =>
    grown(({ outConL }) => {
      const [first] = outConL as { secL: [{ jny: { stopL: unknown[] } }] }[];
      if (first) first.secL[0].jny.stopL = times(first.secL[0].jny.stopL.slice(1, 2), n);
    }),
  'coupled trains': (n) =>
    grown(({ outConL }) => {
      const [first] = outConL as { secL: [{ parJnyL?: unknown[] }] }[];
      if (first) first.secL[0].parJnyL = times([{ prodX: 1 }], 10 * n);
    }),
  'entries that nothing points to': (n) =>
    grown(({ common }) => {
      common['opL'] = times([{ name: 'x' }], 100 * n);
    }),
};

test.each(Object.entries(growths))(
  'hafas: twice as many %s take at most 2.3 times the steps',
  (_name, make) => {
    const [small, large] = [stepsOf(make(40)), stepsOf(make(80))];
    expect(small).toBeGreaterThan(10);
    expect(large / small).toBeLessThanOrEqual(2.3);
  },
);
