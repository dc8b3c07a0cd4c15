import { headers } from '@nats-io/transport-node';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_DEADLINE_MS, Refusal, readRequest } from '../src/json/read-request.ts';

const MAX_BYTES = 64;

it('readRequest() reads any JSON, and gives it a deadline', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.option(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
      (value, ms) => {
        const head = headers();
        if (ms !== null) head.set('Ticketing-Deadline-Ms', String(ms));
        const data = Buffer.from(JSON.stringify(value));
        const request = readRequest({ data, headers: head }, 1e6);
        expect(request).toEqual({
          input: JSON.parse(JSON.stringify(value)),
          timeoutMs: ms ?? DEFAULT_DEADLINE_MS,
          metadata: {},
        });
      },
    ),
  );
});

it('readRequest() reads or refuses whatever comes, with a status, and nothing else', () => {
  const texts = fc.oneof(fc.string(), fc.constantFrom('0', '1', '-1', '1e3', '99999999999', ' 7 '));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), texts, texts, (data, deadline, attempt) => {
      const head = headers();
      const set = (name: string, value: string) => head.set(name, value.replace(/[\r\n]/g, ''));
      set('Ticketing-Deadline-Ms', deadline);
      set('Ticketing-Attempt', attempt);
      set('Ticketing-Call', deadline.repeat(200));
      try {
        const { timeoutMs, metadata } = readRequest({ data, headers: head }, MAX_BYTES);
        expect(data.length).toBeLessThanOrEqual(MAX_BYTES);
        expect(timeoutMs).toBeGreaterThan(0);
        for (const text of Object.values(metadata)) expect(text.length).toBeLessThanOrEqual(512);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
        expect([400, 408, 413]).toContain((error as Refusal).status);
      }
    }),
    { numRuns: 2000 },
  );
});

it('readRequest() refuses before it decodes what is too large', () => {
  const data = Buffer.alloc(MAX_BYTES + 1, '{');
  expect(() => readRequest({ data }, MAX_BYTES)).toThrow(
    /65 bytes exceed `maxMessageBytes` \(64\)$/,
  );
});
