import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { hold } from './hold.ts';
import { admissionFor } from './serve-held.ts';

/** Applies, and counts an answer at the end of the test. */
const request = { begin: () => {}, refuse: () => {} };

test.each([
  ['lateMs', { lateMs: 1000 }],
  ['queueMs', { queueMs: Number.POSITIVE_INFINITY }],
  ['upstreamLate', { upstreamLate: 2 }],
])(
  'createAdmission(): the limit falls while the sign %s is too high, and is back after it',
  async (_, signs) => {
    let given: object = signs;
    const admission = admissionFor({ signs: () => given });
    expect(admission.stats().limit).toBe(16);
    await until(() => admission.stats().limit === 8);
    given = { lateMs: 0 };
    await until(() => admission.stats().limit === 16);
  },
);

test('without the sign lateMs the limit falls while this event loop is late', async () => {
  const admission = admissionFor({ signs: () => ({}) });
  await until(() => {
    hold(50);
    return admission.stats().limit === 8;
  });
});

test('a sign that is no number counts as none', async () => {
  let calls = 0;
  const admission = admissionFor({
    signs() {
      calls += 1;
      return { lateMs: Number.NaN, queueMs: Number.NaN, upstreamLate: Number.NaN };
    },
  });
  await until(() => calls > 2);
  expect(admission.stats().limit).toBe(16);
});

test('maxInFlight off has no limit; after close() requests still begin', async () => {
  const admission = admissionFor({ maxInFlight: 'off' });
  admission.close();
  admission.close();
  const begun: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    admission.apply({
      ...request,
      arrivedAt: admission.arrivedAt(),
      begin: () => void begun.push(index),
    });
  }
  await until(() => begun.length === 50);
  expect(admission.stats()).toMatchObject({ limit: null, inFlight: 50, admitted: 50 });
  expect(admission.eventLoop()).toMatchObject({ delay: { maxMs: 0 } });
});
