import { type Carrier, CarrierError, type CarrierHttp } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editsOf } from './edited-answers.ts';
import { runs } from './scale.ts';
import { createCarriers, fixture, queryOf } from './upstream.ts';

const { renfe, ouigo, avlo } = createCarriers('http://127.0.0.1:1');
const wires: readonly {
  carrier: Carrier;
  golden: Uint8Array;
  wireOf: (body: Uint8Array) => unknown;
}[] = [
  { carrier: renfe, golden: fixture('renfe'), wireOf: (body) => ({ body, receivedAt: 1 }) },
  { carrier: ouigo, golden: fixture('ouigo.json'), wireOf: (body) => ({ body, receivedAt: 1 }) },
  {
    carrier: avlo,
    golden: fixture('avlo.json'),
    wireOf: (body) => ({ days: [body], receivedAt: 1 }),
  },
];
const RUNS = runs(5000);

/** What a carrier makes of bytes: journeys, or the code of its error. Errors of another kind pass through. */
function outcome(carrier: Carrier, wire: unknown): string {
  try {
    return `${carrier.normalise(wire, queryOf()).journeys.length} journeys`;
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}

test.each(wires)('$carrier.id: any bytes are PROTOCOL', ({ carrier, wireOf }) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      // Nothing on that day, as Avlo says it: two bytes, and chance finds them.
      fc.pre(!/^\s*\[\s*\]\s*$/.test(new TextDecoder().decode(bytes)));
      expect(outcome(carrier, wireOf(bytes))).toBe('PROTOCOL');
    }),
    { numRuns: RUNS },
  );
});

test.each(wires)('$carrier.id: any other JSON is PROTOCOL', ({ carrier, wireOf }) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      fc.pre(!(Array.isArray(value) && value.length === 0));
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      expect(outcome(carrier, wireOf(bytes))).toBe('PROTOCOL');
    }),
    { numRuns: RUNS },
  );
});

test.each(wires)(
  '$carrier.id: edited answers are read, or PROTOCOL',
  ({ carrier, golden, wireOf }) => {
    fc.assert(
      fc.property(editsOf(golden), (bytes) => {
        expect(outcome(carrier, wireOf(bytes))).toMatch(/^(PROTOCOL|\d+ journeys)$/);
      }),
      { numRuns: RUNS },
    );
  },
);

test.each(wires)(
  '$carrier.id: an answer cut at any byte but its last is PROTOCOL',
  ({ carrier, golden, wireOf }) => {
    const whole = new TextDecoder().decode(golden).trimEnd();
    for (let length = 0; length < whole.length; length++) {
      const bytes = new TextEncoder().encode(whole.slice(0, length));
      expect(outcome(carrier, wireOf(bytes)), `cut at ${length}`).toBe('PROTOCOL');
    }
  },
);

/** Answers every request with these bytes and headers. */
function httpOf(body: Uint8Array, headers: Record<string, string> = {}): CarrierHttp {
  const bytes = new Uint8Array(body);
  return { send: async () => ({ status: 200, headers, body: bytes, receivedAt: 1 }) };
}

test.each(wires)(
  '$carrier.id: any bytes on the way to the answer are PROTOCOL',
  async ({ carrier, wireOf }) => {
    const signal = new AbortController().signal;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.string(), async (bytes, cookie) => {
        const context = { signal, deadline: 1, http: httpOf(bytes, { 'set-cookie': cookie }) };
        const code = await carrier.request(queryOf(), context).then(
          () => outcome(carrier, wireOf(bytes)),
          (error) => (CarrierError.is(error) ? error.code : error),
        );
        expect(code).toBe('PROTOCOL');
      }),
      { numRuns: runs(1000) },
    );
  },
);

const logins: readonly unknown[] = [
  null,
  [],
  {},
  { token: 5, expires_in: 1 },
  { token: '', expires_in: 1 },
  { token: 'a\r\nx: y', expires_in: 1 },
  { token: 'a', expires_in: 'soon' },
  { token: 'a', expires_in: [] },
];

test.each(logins)('ouigo: the login %j is PROTOCOL', async (login) => {
  const http = httpOf(new TextEncoder().encode(JSON.stringify(login)));
  const context = { signal: new AbortController().signal, deadline: 1, http };
  await expect(ouigo.request(queryOf(), context)).rejects.toMatchObject({ code: 'PROTOCOL' });
});
