import { createLocalClock } from '@ticketing/core';
import { expect, test } from 'vitest';
import { lastDeparture } from '../../src/ojp/request.ts';
import { bytesOf } from '../upstream.ts';
import { golden } from './ojp-answers.ts';
import { testGrowths, trip } from './ojp-linear-cases.ts';
import { stepsOf } from './steps.ts';

const clock = createLocalClock();
const zone = 'Europe/Zurich';

testGrowths(5000);

test('steps show what is not linear', () => {
  const quadratic = (n: number) => () => {
    for (let at = 0; at < n; at++) 'x'.repeat(n).indexOf('y', at);
  };
  expect(stepsOf(quadratic(200))).toBeGreaterThan(3.5 * stepsOf(quadratic(100)));
});

test('the last departure is found in steps that grow with the answer', () => {
  const growth = (text: string) => (n: number) => {
    const bytes = bytesOf(text.repeat(n));
    return stepsOf(() => lastDeparture(clock, bytes, zone));
  };
  for (const text of [trip, 'Trip>', 'TimetabledTime>', '<Trip>TimetabledTime>', '<']) {
    const steps = growth(text);
    expect(steps(200)).toBeLessThanOrEqual(2.3 * Math.max(steps(100), 100));
  }
  expect(lastDeparture(clock, bytesOf(golden), zone)).toBe(Date.UTC(2026, 11, 1, 22, 10));
  expect(lastDeparture(clock, bytesOf('<Trip><TimetabledTime>soon<'), zone)).toBeUndefined();
});
