import { CarrierError, createLocalClock } from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { lastDeparture } from '../../src/ojp/request.ts';
import { bytesOf } from '../upstream.ts';
import { delivery, golden, ojp, wireOf, zurichBern } from './ojp-answers.ts';
import { stepsOf } from './steps.ts';

function outcome(body: string): void {
  try {
    ojp.normalise(wireOf(body), { ...zurichBern(), stops: true });
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
  }
}

const trip = /<TripResult>[\s\S]*?<\/TripResult>/.exec(golden)?.[0] ?? '';
const place = /<Place>[\s\S]*?<\/Place>/.exec(golden)?.[0] ?? '';
const partOf = (pattern: RegExp): string => pattern.exec(golden)?.[0] ?? '';
const attribute = partOf(/<Attribute>[\s\S]*?<\/Attribute>/);
const reference = partOf(/<SituationFullRef>[\s\S]*?<\/SituationFullRef>/);
const situation = partOf(/<PtSituation>[\s\S]*?<\/PtSituation>/);
const action = partOf(/<siri:PublishingAction>[\s\S]*?<\/siri:PublishingAction>/);
const leg = /<Leg>[\s\S]*?<\/Leg>/.exec(golden)?.[0] ?? '';
const inTrip = (text: string) => golden.replace('<Transfers>', `${text}<Transfers>`);
const instead = (of: string, text: string) => golden.replace(of, text);

/** Characters of an answer that is compared with one twice as long. */
const LENGTH = scaled({ fast: 5000, full: 20_000 });

/** What grows with `n`. */
const growths: Readonly<Record<string, (n: number) => string>> = {
  trips: (n) => instead(trip, trip.repeat(n / 100)),
  'trips at other times': (n) =>
    instead(
      trip,
      Array.from({ length: n / 100 }, (_, day) =>
        trip.replaceAll('2026-12-01T', `2${String(100 + (day % 90))}-12-01T`),
      ).join(''),
    ),
  legs: (n) => golden.replace(leg, leg.repeat(n / 50)),
  places: (n) =>
    instead(
      place,
      Array.from({ length: n / 100 }, (_, index) => place.replace('3000:1:2', `${index}:1`)).join(
        '',
      ),
    ),
  'intermediate stops': (n) =>
    golden.replace(/<LegIntermediate>[\s\S]*?<\/LegIntermediate>/, (stop) => stop.repeat(n / 100)),
  'stops that no table has': (n) =>
    golden.replace(/<LegIntermediate>[\s\S]*?<\/LegIntermediate>/, (stop) =>
      Array.from({ length: n / 100 }, (_, at) => stop.replace('218:1:2', `9${at}:1`)).join(''),
    ),
  'attributes of a service': (n) => golden.replace(attribute, attribute.repeat(n / 40)),
  'references to one situation': (n) => golden.replace(reference, reference.repeat(n / 60)),
  'situations, each with a reference': (n) => {
    const numbers = Array.from({ length: n / 100 }, (_, at) => `t-${at}`);
    const all = (text: string) => numbers.map((one) => text.replaceAll('s-17', one)).join('');
    return golden.replace(situation, all(situation)).replace(reference, all(reference));
  },
  'texts of a situation': (n) =>
    golden.replace(/<siri:DurationContent>[\s\S]*?<\/siri:DurationContent>/, (text) =>
      text.replace('Duration', 'Description').repeat(n / 50),
    ),
  'actions of a situation': (n) => golden.replace(action, action.repeat(n / 100)),
  'tags of a situation': (n) => instead('Bis am Abend', '&lt;b&gt;'.repeat(n / 9)),
  'notes of a booking': (n) =>
    golden.replace(/<BookingNote>[\s\S]*?<\/BookingNote>/, (note) => note.repeat(n / 40)),
  'trains that run with one': (n) =>
    golden.replace(/<ParallelService>[\s\S]*?<\/ParallelService>/, (one) => one.repeat(n / 80)),
  'a platform': (n) => instead('>31<', `>${'3'.repeat(n)}<`),
  problems: (n) =>
    delivery(
      '<ErrorCondition><TripProblemType>A_B</TripProblemType></ErrorCondition>'.repeat(n / 50),
    ),
  'elements in one another': (n) => inTrip('<Leg>'.repeat(n)),
  'elements that are not wanted': (n) => inTrip('<x><y/></x>'.repeat(n / 10)),
  'names that differ': (n) => inTrip(Array.from({ length: n / 10 }, (_, i) => `<n${i}/>`).join('')),
  'one name': (n) => inTrip(`<${'n'.repeat(n)}/>`),
  attributes: (n) =>
    inTrip(`<x ${Array.from({ length: n / 10 }, (_, i) => `a${i}="b"`).join(' ')}/>`),
  'one attribute': (n) => inTrip(`<x a="${'b'.repeat(n)}"/>`),
  text: (n) => inTrip(`<Text>${'b'.repeat(n)}</Text>`),
  'lines of text': (n) => inTrip(`<Text>${'b\n'.repeat(n / 2)}</Text>`),
  entities: (n) => inTrip(`<Text>${'&amp;'.repeat(n / 5)}</Text>`),
  'text in pieces': (n) => inTrip(`<Text>${'b<!---->'.repeat(n / 8)}</Text>`),
  'parts that are CDATA': (n) => inTrip(`<Text>${'<![CDATA[]]>'.repeat(n / 12)}</Text>`),
  comments: (n) => inTrip('<!-- x -->'.repeat(n / 10)),
  'dashes in a comment': (n) => inTrip(`<!--${' -'.repeat(n / 2)}`),
  'a comment without an end': (n) => inTrip(`<!--${'x'.repeat(n)}`),
  instructions: (n) => inTrip('<?x y?>'.repeat(n / 7)),
  'a DOCTYPE': (n) => `<!DOCTYPE a [${'<!ENTITY b "c">'.repeat(n / 15)}]><a/>`,
  'brackets in text': (n) => inTrip(']'.repeat(n)),
  'open brackets': (n) => inTrip('<'.repeat(n)),
  spaces: (n) => golden + ' '.repeat(n),
  'digits of a time': (n) => instead('2026-12-01T07:02:00Z<', `${'2026-'.repeat(n / 5)}<`),
  'fractions of a second': (n) => instead('07:02:00Z<', `07:02:00.${'1'.repeat(n)}Z<`),
  'digits of a duration': (n) => instead('PT7M30S', `PT${'1'.repeat(n)}M`),
  'digits of a location id': (n) => instead('sloid:90210:0:1', `sloid:${'9'.repeat(n)}`),
  'digits of a number': (n) => instead('00712', '0'.repeat(n)),
  'letters of a mode': (n) => instead('>rail<', `>${'rail'.repeat(n / 4)}<`),
  'letters of a problem': (n) => delivery(`<Problem><Type>${'A_'.repeat(n / 2)}</Type></Problem>`),
};

const clock = createLocalClock();
const zone = 'Europe/Zurich';

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
