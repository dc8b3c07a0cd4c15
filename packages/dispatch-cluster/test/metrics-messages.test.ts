import { Counter, Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { metricsRequest, readMetrics, writeMetrics } from '../src/metrics/metrics-messages.ts';

const request = { ...metricsRequest, id: 7, maxBytes: 1024 };

test('metrics cross as they are, NaN included', async () => {
  const registry = new Registry();
  new Gauge({ name: 'late', help: 'Late', registers: [registry] }).set(Number.NaN);
  const message = await writeMetrics(registry, request);
  expect(message.id).toBe(7);
  expect(readMetrics(message)).toEqual(await registry.getMetricsAsJSON());
});

test('metrics above maxBytes, and those of a registry that fails, have no bytes', async () => {
  const registry = new Registry();
  const text = new Counter({ name: 'text', help: 'x', labelNames: ['x'], registers: [registry] });
  text.inc({ x: 'x'.repeat(1024) });
  expect(await writeMetrics(registry, request)).toMatchObject({ id: 7, bytes: undefined });
  const failing = { getMetricsAsJSON: () => Promise.reject(new Error('as planned')) };
  expect(await writeMetrics(failing, request)).toMatchObject({ id: 7, bytes: undefined });
  const throwing = {
    getMetricsAsJSON() {
      throw new Error('as planned');
    },
  };
  expect(await writeMetrics(throwing, request)).toMatchObject({ id: 7, bytes: undefined });
});

test('readMetrics() returns undefined for bytes that node:v8 cannot read', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  expect(readMetrics({ ticketing: '', id: 1, bytes })).toBeUndefined();
});
