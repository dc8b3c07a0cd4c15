import type { CarrierAnswer, CarrierQuery } from '@ticketing/core';
import { createOjp, type OjpOptions } from '../../src/index.ts';
import type { OjpWire } from '../../src/ojp/request.ts';
import { bytesOf, fixture, queryOf } from '../upstream.ts';

export const options: OjpOptions = {
  id: 'ojp',
  name: 'OJP',
  baseUrl: 'http://127.0.0.1:1',
  zone: 'Europe/Zurich',
  requestor: 'tests',
};
export const ojp = createOjp(options);

const [zurich, bern] = ['8503000', '8507000'];
export const zurichBern = (date?: string): CarrierQuery => queryOf(zurich, bern, date);

/** The trips from an instant on, however long. */
export function wireOf(
  body: string | Uint8Array,
  question: Partial<OjpWire['question']> = {},
  status = 200,
): OjpWire {
  const bytes = typeof body === 'string' ? bytesOf(body) : new Uint8Array(body);
  return {
    question: { direction: 'later', by: 'departure', atMs: 0, untilMs: 8e14, ...question },
    answers: [{ status, body: bytes }],
    whole: true,
  };
}

export function read(body: string | Uint8Array, status?: number): CarrierAnswer {
  return ojp.normalise(wireOf(body, {}, status), zurichBern());
}

export const golden: string = new TextDecoder().decode(fixture('ojp.xml'));
export const golden1: string = new TextDecoder().decode(fixture('ojp-1.0.xml'));

/** The golden answer with other text in it; the text must be there. */
export function changed(...changes: readonly [from: string, to: string][]): string {
  let text = golden;
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`no ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

/** An answer with this in its delivery. */
export function delivery(content: string, status = 'true'): string {
  return `<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri"><OJPResponse><siri:ServiceDelivery><siri:Status>${status}</siri:Status>${content}</siri:ServiceDelivery></OJPResponse></OJP>`;
}
