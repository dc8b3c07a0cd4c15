import { expect, test } from 'vitest';
import type { CarrierSim } from '../src/index.ts';
import { encodeOjp } from '../src/index.ts';
import { callsAt } from '../src/wires/ojp/ojp-wire.ts';
import { readXml } from '../src/wires/ojp/read-xml.ts';
import { date, startedSim } from './started-sim.ts';

const [zurich, bern, brig] = ['8503000', '8507000', '8501609'];
const headers = { authorization: 'Bearer x', 'content-type': 'application/xml' };
const stamp = '<siri:RequestTimestamp>2026-11-21T10:00:00Z</siri:RequestTimestamp>';
const place = (uic: string) => `<StopPlaceRef>${uic}</StopPlaceRef><Name><Text>any</Text></Name>`;
const origin = (uic: string, time: string) =>
  `<Origin><PlaceRef>${place(uic)}</PlaceRef><DepArrTime>${time}</DepArrTime></Origin>`;
const destination = `<Destination><PlaceRef>${place(bern)}</PlaceRef></Destination>`;
const params = '<Params><NumberOfResultsAfter>3</NumberOfResultsAfter></Params>';
const right = [
  '<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri" version="2.0">',
  `<OJPRequest><siri:ServiceRequest>${stamp}<siri:RequestorRef>x</siri:RequestorRef>`,
  `<OJPTripRequest>${stamp}${origin(zurich, '2026-12-01T07:00:00Z')}${destination}${params}`,
  '</OJPTripRequest></siri:ServiceRequest></OJPRequest></OJP>',
].join('');

const post = (sim: CarrierSim, body: string, more: Record<string, string> = {}) =>
  fetch(`${sim.url}/ojp`, { method: 'POST', headers: { ...headers, ...more }, body });
const numbers = (answer: string) =>
  [...answer.matchAll(/<TrainNumber>(\d+)</g)].map(([, number]) => number);

test('ojp answers with the trains from the time on, in well-formed XML without prices', async () => {
  const sim = await startedSim();
  const response = await post(sim, right);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  const answer = await response.text();
  const trains = sim.trains({ carrier: 'ojp', origin: zurich, destination: bern, date });
  const wanted = trains.filter(({ departureMs }) => departureMs >= Date.UTC(2026, 11, 1, 7));
  expect(numbers(answer)).toEqual(wanted.slice(0, 3).map(({ number }) => number));
  expect(answer).toBe(encodeOjp(wanted.slice(0, 3)));
  expect(readXml(answer)?.name).toBe('http://www.vdv.de/ojp OJP');
  expect(readXml(encodeOjp(wanted, { version: '1.0' }))?.name).toBe(
    'http://www.siri.org.uk/siri OJP',
  );
  expect(Object.keys(sim.requests().ojp.attempts)).toEqual([`${zurich}-${bern} ${date}`]);
});

test.each<[what: string, from: string, to: string, type: string]>([
  ['an unknown origin', zurich, '7160000', 'TRIP_ORIGINUNKNOWN'],
  ['an unknown destination', bern, '1', 'TRIP_DESTINATIONUNKNOWN'],
  ['one station', zurich, bern, 'TRIP_ORIGINDESTINATIONIDENTICAL'],
  ['a day without timetable', '2026-12-01T07', '2027-12-01T07', 'TRIP_DATEOUTOFRANGE'],
  ['a pair without trips', zurich, '8727100', 'TRIP_NOTRIPFOUND'],
  [
    'a via on no way',
    '<Params>',
    `<Via><ViaPoint>${place(brig)}</ViaPoint></Via><Params>`,
    'TRIP_NOTRIPFOUND',
  ],
])('ojp answers %s with its problem, in a 200', async (_what, from, to, type) => {
  const sim = await startedSim();
  expect(right).toContain(from);
  const response = await post(sim, right.replace(from, to));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(`<TripProblemType>${type}</TripProblemType>`);
});

const RESULTS = '<NumberOfResultsAfter>3</NumberOfResultsAfter>';
test.each<[what: string, from: string, to: string]>([
  ['text that is not XML', right, 'hello'],
  ['an end that is missing', '</OJP>', ''],
  ['an entity', '>any<', '>&any;<'],
  ['an attribute twice', 'version="2.0"', 'version="2.0" version="2.0"'],
  ['another version', 'version="2.0"', 'version="1.0"'],
  ['another namespace', 'http://www.vdv.de/ojp', 'http://www.vdv.de/'],
  ['a prefix that is not bound', '<Params>', '<x:Params>'],
  ['no name of a place', '<Name><Text>any</Text></Name>', ''],
  ['an empty requestor', '>x<', '><'],
  ['no requestor', '<siri:RequestorRef>x</siri:RequestorRef>', ''],
  [
    'an element of SIRI as one of OJP',
    '<siri:RequestorRef>x</siri:RequestorRef>',
    '<RequestorRef>x</RequestorRef>',
  ],
  ['elements in another order', `${stamp}<Origin>`, `<Origin>`],
  ['an unknown parameter', RESULTS, '<Fast>true</Fast>'],
  ['parameters in another order', RESULTS, `<TransferLimit>1</TransferLimit>${RESULTS}`],
  ['a count that is none', '>3<', '>three<'],
  ['both kinds of counts', RESULTS, `<NumberOfResults>3</NumberOfResults>${RESULTS}`],
  ['a flag that is none', RESULTS, `${RESULTS}<IncludeFare>yes</IncludeFare>`],
  ['a time without an offset', '2026-12-01T07:00:00Z', '2026-12-01T07:00:00'],
  [
    'times at both ends',
    '</PlaceRef></Destination>',
    '</PlaceRef><DepArrTime>2026-12-01T07:00:00Z</DepArrTime></Destination>',
  ],
  ['a stamp that is no time', '2026-11-21T10:00:00Z', 'now'],
])('ojp refuses %s with 400', async (_what, from, to) => {
  const sim = await startedSim();
  expect(right).toContain(from);
  const response = await post(sim, right.replace(from, to));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('<OJPGenericProblemType>OJPGENERIC_REQUESTNOTSUPPORTED<');
});

test('ojp needs a token, and XML', async () => {
  const sim = await startedSim();
  expect((await post(sim, right, { authorization: 'Basic x' })).status).toBe(401);
  expect((await post(sim, right, { 'content-type': 'text/plain' })).status).toBe(415);
});

test('ojp: trips before, by arrival, a bound of changes, over a station, a page', async () => {
  const sim = await startedSim();
  const asked = async (...changes: readonly (readonly [string, string])[]) => {
    const body = changes.reduce((text, [from, to]) => text.replaceAll(from, to), right);
    return numbers(await (await post(sim, body)).text());
  };
  const listed = sim.trains({ carrier: 'ojp', origin: zurich, destination: bern, date });
  const until = Date.UTC(2026, 11, 1, 7);
  const before = listed.filter(({ departureMs }) => departureMs < until).map((one) => one.number);
  expect(await asked(['ResultsAfter', 'ResultsBefore'])).toEqual(before.slice(-3));
  const time = '<DepArrTime>2026-12-01T07:00:00Z</DepArrTime>';
  const arriving = listed.filter(({ arrivalMs }) => arrivalMs <= until).map((one) => one.number);
  expect(
    await asked(
      [time, ''],
      ['</PlaceRef></Destination>', `</PlaceRef>${time}</Destination>`],
      ['ResultsAfter', 'ResultsBefore'],
    ),
  ).toEqual(arriving.slice(-3));
  const overBern = await asked(
    [`<Destination><PlaceRef>${place(bern)}`, `<Destination><PlaceRef>${place(brig)}`],
    ['<Params>', `<Via><ViaPoint>${place(bern)}</ViaPoint></Via><Params>`],
    [RESULTS, `${RESULTS}<TransferLimit>0</TransferLimit>`],
  );
  expect(overBern).toHaveLength(3);
  const [change] = sim
    .trains({ carrier: 'ojp', origin: '8020347', destination: bern, date })
    .filter(({ connection }) => connection);
  expect(change && [callsAt(change, zurich), callsAt(change, bern)]).toEqual([true, false]);
  sim.setPlan('ojp', { pageSize: 2 });
  expect(await asked()).toHaveLength(2);
});

test('ojp: faults of its own', async () => {
  const sim = await startedSim();
  const answer = async (fault: Parameters<CarrierSim['setPlan']>[1]['fault']) => {
    sim.setPlan('ojp', { fault });
    return (await post(sim, right)).text();
  };
  const plain = await answer(null);
  expect(numbers(await answer({ kind: 'early-trip' }))).toHaveLength(4);
  expect((await answer({ kind: 'doctype' })).replace(/<!DOCTYPE.*\n/, '')).toBe(plain);
  const padded = await answer({ kind: 'padding', megabytes: 0.5 });
  expect(Math.abs(padded.length - 500_000)).toBeLessThan(10_000);
  expect(padded.replace(/<LegIntermediate>.*?<\/LegIntermediate>/g, '')).toBe(plain);
  const older = await answer({ kind: 'prefixes-1.0' });
  expect(older).toContain('<ojp:TripLeg><ojp:LegId>1</ojp:LegId>');
  expect(older).not.toContain('TrainNumber');
  sim.setPlan('ojp', { fault: { kind: 'throttled' } });
  const throttled = await post(sim, right);
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '1']);
});
