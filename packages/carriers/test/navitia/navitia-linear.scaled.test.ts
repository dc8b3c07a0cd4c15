import { CarrierError } from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { stepsOf } from '../ojp/steps.ts';
import { goldenBody, navitia, parisZurich, wireOf } from './navitia-answers.ts';

function outcome(body: string): void {
  try {
    navitia.normalise(wireOf(body), { ...parisZurich(), stops: true });
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
  }
}

/** Characters of an answer that is compared with one twice as long. */
const LENGTH = scaled({ fast: 2000, full: 20_000 });

const numbers = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
// biome-ignore lint/suspicious/noExplicitAny: growths reach into parts of an answer.
const changed = (change: (body: any) => void): string => {
  const body = goldenBody();
  change(body);
  return JSON.stringify(body);
};

/** What grows with `n`. */
const growths: Readonly<Record<string, (n: number) => string>> = {
  journeys: (n) =>
    changed((body) => {
      body.journeys = numbers(n / 100).map(() => body.journeys[0]);
    }),
  'journeys at other times': (n) =>
    changed((body) => {
      const [first] = body.journeys;
      body.journeys = numbers(n / 100).map((at) =>
        JSON.parse(JSON.stringify(first).replaceAll('20261201', `2${100 + (at % 90)}1201`)),
      );
    }),
  sections: (n) =>
    changed(({ journeys: [first] }) => {
      first.sections = numbers(n / 50).map(() => first.sections[1]);
    }),
  ways: (n) =>
    changed(({ journeys: [first] }) => {
      first.sections.splice(0, 1, ...numbers(n / 50).map(() => first.sections[0]));
    }),
  'stops on the way': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      const [, ride] = sections;
      const [start, stop, , end] = ride.stop_date_times;
      ride.stop_date_times = [start, ...numbers(n / 50).map(() => stop), end];
    }),
  'stops that no table has': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      const [, ride] = sections;
      const [start, stop, , end] = ride.stop_date_times;
      const others = numbers(Math.min(n / 50, 298)).map((at) => ({
        ...stop,
        stop_point: { ...stop.stop_point, id: `stop_point:X:${at}` },
      }));
      ride.stop_date_times = [start, ...others, end];
    }),
  'codes of a station': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      const { stop_area: area } = sections[1].from.stop_point;
      area.codes = numbers(n / 10).map(() => ({ type: 'uic', value: '1' }));
    }),
  'links of a section': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].links = numbers(n / 10).map(() => ({ type: 'line', id: 'x' }));
    }),
  'links to one note': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].links = numbers(n / 10).map(() => ({ type: 'notes', id: 'note:1' }));
    }),
  'disruptions, each with a link': (n) =>
    changed((body) => {
      const ids = numbers(n / 50).map((at) => `d${at}`);
      body.disruptions = ids.map((id) => ({ ...body.disruptions[0], id }));
      body.journeys[0].sections[1].display_informations.links = ids.map((id) => ({
        ...{ id, type: 'disruption', rel: 'disruptions' },
      }));
    }),
  'messages of a disruption': (n) =>
    changed((body) => {
      body.disruptions[0].messages = numbers(n / 10).map((at) => ({ text: `message ${at}` }));
    }),
  'tags of a message': (n) =>
    changed((body) => {
      body.disruptions[0].messages[0].text = '<b>'.repeat(n / 3);
    }),
  'tickets of a fare': (n) =>
    changed((body) => {
      const ids = numbers(n / 50).map((at) => `t${at}`);
      body.tickets = ids.map((id) => ({ ...body.tickets[0], id, name: `Ticket ${id}` }));
      body.journeys[0].fare.links = ids.map((id) => ({ id, type: 'ticket' }));
    }),
  'digits of a fare': (n) =>
    changed((body) => {
      body.journeys[0].fare.total.value = `1.${'0'.repeat(n)}`;
    }),
  'digits of a time': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].departure_date_time = '2026'.repeat(n / 4);
    }),
  'digits of a number': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].display_informations.trip_short_name = '0'.repeat(n);
    }),
  'letters of a mode': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].links = [];
      sections[1].display_informations.physical_mode = 'tra '.repeat(n / 4);
    }),
  'letters of an id': (n) =>
    changed(({ journeys: [{ sections }] }) => {
      sections[1].from = { id: `stop_area:SIM:${'8'.repeat(n)}` };
    }),
  'letters of an error': (n) => JSON.stringify({ error: { id: 'a_'.repeat(n / 2) } }),
  'fields that are not wanted': (n) =>
    changed((body) => {
      body.journeys[0].geojson = numbers(n / 4).map((at) => [at, at]);
    }),
};

test.each(Object.entries(growths))(
  '%s: twice as long takes at most 2.3 times the steps',
  (_name, make) => {
    const [one, two] = [LENGTH, 2 * LENGTH].map((n) => {
      const text = make(n);
      return stepsOf(() => outcome(text));
    }) as [number, number];
    expect(two).toBeLessThanOrEqual(2.3 * one);
  },
);
