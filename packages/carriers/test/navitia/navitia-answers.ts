import type { CarrierAnswer, CarrierQuery } from '@ticketing/core';
import { createNavitia, type NavitiaOptions, type NavitiaWire } from '../../src/index.ts';
import { bytesOf, fixture, queryOf } from '../upstream.ts';

export const options: NavitiaOptions = {
  id: 'navitia',
  name: 'Navitia',
  baseUrl: 'http://127.0.0.1:1/v1',
  coverage: 'simulated',
  zone: 'Europe/Paris',
  stopArea: 'stop_area:SIM:',
};
export const navitia = createNavitia(options);

const [paris, zurich] = ['8768600', '8503000'];
export const parisZurich = (date?: string, passengers?: number): CarrierQuery =>
  queryOf(paris, zurich, date, passengers);

/** The journeys from an instant on, however long. */
export function wireOf(
  body: string | Uint8Array,
  question: Partial<NavitiaWire['question']> = {},
  status = 200,
): NavitiaWire {
  const bytes = typeof body === 'string' ? bytesOf(body) : new Uint8Array(body);
  return {
    question: { direction: 'later', by: 'departure', atMs: 0, untilMs: 8e14, ...question },
    answers: [{ status, body: bytes }],
    whole: true,
    receivedAt: 1,
  };
}

export function read(
  body: string | Uint8Array | object,
  query: CarrierQuery = parisZurich(),
): CarrierAnswer {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  return navitia.normalise(wireOf(isText ? body : JSON.stringify(body)), query);
}

export const golden: string = new TextDecoder().decode(fixture('navitia.json'));

type Json = Record<string, unknown>;

/** The golden answer, to be changed. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into parts of an answer.
export const goldenBody = (): any => JSON.parse(golden) as Json;

/** The golden answer with one of its journeys, changed. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into parts of an answer.
export function withJourney(index: number, change: (journey: any, body: any) => void): object {
  const body = goldenBody();
  const journey = body.journeys[index];
  change(journey, body);
  return { ...body, journeys: [journey] };
}
