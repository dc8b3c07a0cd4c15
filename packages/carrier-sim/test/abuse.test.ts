import { expect, test } from 'vitest';
import {
  CarrierSimError,
  createTimetable,
  encodeAvlo,
  encodeRenfe,
  startCarrierSim,
} from '../src/index.ts';
import { carrierSimIds } from '../src/timetable/sim-carriers.ts';
import { madridBarcelona, startedSim } from './started-sim.ts';

const known = carrierSimIds.join(', ');

// Values that neither `String` nor `JSON.stringify` can make text of.
const bare: object = Object.create(null);
const looped: Record<string, unknown> = {};
looped['self'] = looped;

test.each([
  [null, 'TypeError', '`options` must be an object, got null'],
  [{ speed: 1 }, 'TypeError', 'unknown option `speed`; did you mean `seed`?'],
  [{ seed: {} }, 'TypeError', '`seed` must be a string or a finite number, got [object Object]'],
  [{ seed: Number.NaN }, 'TypeError', '`seed` must be a string or a finite number, got NaN'],
  [{ host: '' }, 'TypeError', "`host` must be a text, got ''"],
  [{ port: '80' }, 'TypeError', '`port` must be an integer of 0 to 65535, got 80'],
  [{ port: 65_536 }, 'RangeError', '`port` must be an integer of 0 to 65535, got 65536'],
  [{ port: 1.5 }, 'RangeError', '`port` must be an integer of 0 to 65535, got 1.5'],
  [{ now: 5 }, 'TypeError', '`now` must be a function, got 5'],
  [{ plan: { sncf: {} } }, 'TypeError', `unknown option \`plan.sncf\`; known are ${known}`],
  [
    { seed: bare },
    'TypeError',
    '`seed` must be a string or a finite number, got an object without text',
  ],
  [{ host: looped }, 'TypeError', '`host` must be a text, got [object Object]'],
  [{ now: looped }, 'TypeError', '`now` must be a function, got [object Object]'],
  [{ credentials: 'x' }, 'TypeError', '`credentials` must be an object, got x'],
  [
    { credentials: { username: 'anna', password: () => 'x' } },
    'TypeError',
    '`credentials.password` must be a text, got a function',
  ],
] as const)('startCarrierSim(%o) rejects', async (options, name, complaint) => {
  await expect(startCarrierSim(options as never)).rejects.toMatchObject({
    name,
    message: `Cannot start carrier simulator: ${complaint}`,
  });
});

const noSign = 'letters, digits, `.`, `_` and `-`, at most 64, the first no sign';
const night = () => ({});
test.each([
  [{ carriers: night }, '`carriers` must be an object, got a function'],
  [{ carriers: { night: {} } }, '`carriers.night` must be a function, got [object Object]'],
  [
    { carriers: { renfe: night } },
    '`carriers.renfe` is a carrier of the simulator; choose another name',
  ],
  [
    { carriers: { plan: night } },
    '`carriers.plan` is a control route of the simulator; choose another name',
  ],
  [
    { carriers: { requests: night } },
    '`carriers.requests` is a control route of the simulator; choose another name',
  ],
  [{ carriers: { 'a/b': night } }, `names in \`carriers\` must be ${noSign}, got a/b`],
  [
    { carriers: { ['__proto__']: night } },
    `names in \`carriers\` must be ${noSign}, got __proto__`,
  ],
  [
    { carriers: { night }, plan: { nigth: {} } },
    'unknown option `plan.nigth`; did you mean `night`?',
  ],
] as const)('startCarrierSim(%o) rejects a carrier of your own', async (options, complaint) => {
  await expect(startCarrierSim(options as never)).rejects.toMatchObject({
    name: 'TypeError',
    message: `Cannot start carrier simulator: ${complaint}`,
  });
});

test('a plan of your own carrier refuses what needs trains and prices of the simulator', async () => {
  await using sim = await startCarrierSim({ carriers: { night } });
  const refused = (what: string) =>
    new TypeError(
      `Cannot set plan of \`night\`: ${what} is for carriers of the simulator alone; let \`carriers.night\` answer so`,
    );
  const price = { fault: { kind: 'malformed-price' } } as const;
  const kind = '`plan.fault.kind` malformed-price';
  expect(() => sim.setPlan('night', price)).toThrow(refused(kind));
  expect(() => sim.setPlan('night', { journeys: 5 })).toThrow(refused('`plan.journeys`'));
  await expect(startCarrierSim({ carriers: { night }, plan: { night: price } })).rejects.toThrow(
    refused(kind),
  );
  const put = await fetch(`${sim.url}/plan/night`, { method: 'PUT', body: '{"journeys":5}' });
  expect([put.status, await put.json()]).toEqual([
    400,
    { code: 'ERR_BAD_PLAN', message: refused('`plan.journeys`').message },
  ]);
  expect(() => sim.setPlan('day' as never, {})).toThrow(
    new RangeError(`Cannot set plan: \`carrier\` must be one of ${known}, night, got day`),
  );
});

test('startCarrierSim() rejects with a coded error when the port is taken', async () => {
  const sim = await startedSim();
  const port = Number(new URL(sim.url).port);
  const error = await startCarrierSim({ port }).catch((reason: unknown) => reason);
  expect(CarrierSimError.is(error)).toBe(true);
  expect(error).toMatchObject({
    name: 'CarrierSimError',
    code: 'ERR_CARRIER_SIM_LISTEN',
    data: { host: '127.0.0.1', port },
    cause: { code: 'EADDRINUSE' },
    message: `Cannot start carrier simulator: cannot listen on 127.0.0.1:${port} (EADDRINUSE)`,
  });
  expect(CarrierSimError.is(new Error('other'))).toBe(false);
});

const kinds =
  'hang, error, error-drip, rate-limited, drip, truncated, half-encoded, wrong-encoding, unknown-encoding, unasked-encoding, reset, wrong-content-type, malformed-price, throttled, waiting-room, list-error, exception, no-fares, not-running';
const time = '`plan.latency.ms` must be 0 to 600000';
test.each([
  [undefined, 'TypeError', '`plan` must be an object, got undefined'],
  [
    { delay: 5 },
    'TypeError',
    'unknown option `plan.delay`; known are latency, fault, journeys, capacity, pageSize',
  ],
  [{ capacity: 5 }, 'TypeError', '`plan.capacity` must be null or an object, got 5'],
  [
    { capacity: { queue: 5 } },
    'TypeError',
    '`plan.capacity.concurrent` must be an integer of 0 to 100000, got undefined',
  ],
  [
    { capacity: { concurrent: -1 } },
    'RangeError',
    '`plan.capacity.concurrent` must be an integer of 0 to 100000, got -1',
  ],
  [
    { capacity: { concurrent: 1, waiting: 5 } },
    'TypeError',
    'unknown option `plan.capacity.waiting`; known are concurrent, queue, slowdown',
  ],
  [
    { capacity: { concurrent: 1, slowdown: -1 } },
    'RangeError',
    '`plan.capacity.slowdown` must be 0 to 100, got -1',
  ],
  [{ pageSize: 5 }, 'TypeError', '`plan.pageSize` is for carriers that answer in pages'],
  [
    { fault: { kind: 'token-refused' } },
    'TypeError',
    `\`plan.fault.kind\` must be one of ${kinds}, got token-refused`,
  ],
  [{ latency: 50 }, 'TypeError', '`plan.latency` must be an object, got 50'],
  [
    { latency: {} },
    'TypeError',
    '`plan.latency.kind` must be one of fixed, random, lognormal, got undefined',
  ],
  [{ latency: { kind: 'fixed' } }, 'TypeError', `${time}, got undefined`],
  [{ latency: { kind: 'fixed', ms: -1 } }, 'RangeError', `${time}, got -1`],
  [{ latency: { kind: 'fixed', ms: Number.NaN } }, 'RangeError', `${time}, got NaN`],
  [
    { latency: { kind: 'random', ms: 1 } },
    'TypeError',
    'unknown option `plan.latency.ms`; known are kind',
  ],
  [
    { latency: { kind: 'lognormal', p50Ms: 9, p99Ms: 8 } },
    'RangeError',
    '`plan.latency.p99Ms` must be 9 to 600000, got 8',
  ],
  [{ fault: 'hang' }, 'TypeError', '`plan.fault` must be null or an object, got hang'],
  [
    { fault: { kind: 'fire' } },
    'TypeError',
    `\`plan.fault.kind\` must be one of ${kinds}, got fire`,
  ],
  [{ fault: { kind: 'hang', share: 2 } }, 'RangeError', '`plan.fault.share` must be 0 to 1, got 2'],
  [
    { fault: { kind: 'hang', retryAfterSeconds: 1 } },
    'TypeError',
    'unknown option `plan.fault.retryAfterSeconds`; known are kind, share',
  ],
  [
    { fault: { kind: 'throttled', retryAfterSeconds: 0.5 } },
    'RangeError',
    '`plan.fault.retryAfterSeconds` must be an integer of 0 to 86400, got 0.5',
  ],
  [
    { journeys: 1001 },
    'RangeError',
    '`plan.journeys` must be null or an integer of 0 to 1000, got 1001',
  ],
  [
    { journeys: '5' },
    'TypeError',
    '`plan.journeys` must be null or an integer of 0 to 1000, got 5',
  ],
] as const)('setPlan(%j) throws', async (patch, name, complaint) => {
  const sim = await startedSim();
  const before = sim.plan('renfe');
  expect(() => sim.setPlan('renfe', patch as never)).toThrow(
    expect.objectContaining({ name, message: `Cannot set plan of \`renfe\`: ${complaint}` }),
  );
  expect(sim.plan('renfe')).toEqual(before);
});

test('plan() and setPlan() throw for a carrier that is not simulated', async () => {
  const sim = await startedSim();
  const message = `\`carrier\` must be one of ${known}, got sncf`;
  expect(() => sim.setPlan('sncf' as never, {})).toThrow(
    new RangeError(`Cannot set plan: ${message}`),
  );
  expect(() => sim.plan('sncf' as never)).toThrow(new RangeError(`Cannot read plan: ${message}`));
});

test('createTimetable() and its trains() throw for a bad seed, date and number of journeys', () => {
  expect(() => createTimetable({ seed: null as never })).toThrow(
    new TypeError('Cannot create timetable: `seed` must be a string or a finite number, got null'),
  );
  const { trains } = createTimetable({ seed: 1 });
  expect(() => trains({ ...madridBarcelona, date: '1/12/2026' })).toThrow(
    new RangeError('Cannot list trains: `date` must be a day such as 2026-12-01, got 1/12/2026'),
  );
  expect(() => trains({ ...madridBarcelona, journeys: 1001 })).toThrow(
    new RangeError('Cannot list trains: `journeys` must be an integer of 0 to 1000, got 1001'),
  );
  expect(() => trains({ ...madridBarcelona, carrier: 'sncf' as never })).toThrow(
    new RangeError(`Cannot list trains: \`carrier\` must be one of ${known}, got sncf`),
  );
});

test('encodeRenfe() and encodeAvlo() throw for a station that the wire cannot name', () => {
  const [train] = createTimetable({ seed: 1 }).trains(madridBarcelona);
  if (!train) throw new Error('no train');
  expect(() => encodeRenfe([{ ...train, origin: '1' }])).toThrow(
    new RangeError('Cannot find station: `uic` must be of a simulated station, got 1'),
  );
  expect(() => encodeAvlo([{ ...train, origin: '7179300' }])).toThrow(
    new TypeError('Cannot encode train: Avlo has no id for Girona'),
  );
});
