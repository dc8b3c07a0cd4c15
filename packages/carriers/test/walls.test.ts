import type { CarrierHttp } from '@ticketing/core';
import { CarrierError } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, carrierIds, createCarriers, queryFor } from './upstream.ts';

const carriers = createCarriers('http://127.0.0.1:1');
type Id = (typeof carrierIds)[number];

/** The code of what a carrier makes of an answer that every call gets. */
async function codeOf(id: Id, body: string, status = 200, location?: string): Promise<string> {
  const http: CarrierHttp = {
    send: async () => ({
      status,
      headers: { 'content-type': 'text/html', ...(location !== undefined && { location }) },
      body: bytesOf(body),
      receivedAt: 1,
    }),
  };
  const query = queryFor(id);
  const context = { http, signal: new AbortController().signal, deadline: Number.MAX_SAFE_INTEGER };
  try {
    const carrier = carriers[id];
    carrier.normalise(await carrier.request(query, context), query);
  } catch (error) {
    if (CarrierError.is(error)) return error.code;
    throw error;
  }
  return 'an answer';
}

test.each(carrierIds)('%s: a page for people in place of an answer is AUTH', async (id) => {
  expect(await codeOf(id, '<!DOCTYPE html><html><title>Hello</title></html>')).toBe('AUTH');
  expect(await codeOf(id, '\ufeff\n <HTML lang="es"><body>Hello')).toBe('AUTH');
});

test.each(carrierIds)('%s: the page of a waiting room is OVERLOADED', async (id) => {
  const page = '<!doctype html><script src="//static.queue-it.example/room.js"></script>';
  expect(await codeOf(id, page)).toBe('OVERLOADED');
});

test.each(carrierIds)(
  '%s: the way to another site is AUTH, to a waiting room OVERLOADED',
  async (id) => {
    expect(await codeOf(id, '', 302, 'https://check.example/?a=1')).toBe('AUTH');
    expect(await codeOf(id, '', 303)).toBe('AUTH');
    expect(await codeOf(id, '', 307, 'https://queue-it.example/?t=x')).toBe('OVERLOADED');
  },
);
