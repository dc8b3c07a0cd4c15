import { CarrierError, type CarrierHttp } from '@ticketing/core';
import { expect, test } from 'vitest';
import { ask, bytesOf, carrierIds, queryFor, startUpstream } from './upstream.ts';

// Renfe's times are times of day.
test.each(carrierIds.filter((id) => id !== 'renfe'))(
  '%s: 31 November is no day, and never 1 December',
  async (id) => {
    const upstream = await startUpstream();
    const query = queryFor(id, '2026-12-01');
    let edits = 0;
    const http: CarrierHttp = {
      async send(request) {
        const answer = await upstream.http.clientOf(id).send(request);
        const text = new TextDecoder().decode(answer.body);
        const edited = text.replaceAll(/2026(-?)12\1(?:01)(?!-?\d)/g, (_day, dash) => {
          edits += 1;
          return `2026${dash}11${dash}31`;
        });
        return { ...answer, body: bytesOf(edited) };
      },
    };
    const answer = await ask(upstream, upstream.carriers[id], query, { http }).catch((error) => {
      if (!CarrierError.is(error)) throw error;
      return error;
    });
    expect(edits).toBeGreaterThan(0);
    if (CarrierError.is(answer)) expect(answer.code).toBe('PROTOCOL');
    else expect(answer.journeys).toEqual([]);
  },
);
