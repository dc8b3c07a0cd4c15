import { expect, test } from 'vitest';
import {
  CarrierSimError,
  createTimetable,
  encodeAvlo,
  encodeRenfe,
  startCarrierSim,
} from '../src/index.ts';
import { madridBarcelona, startedSim } from './started-sim.ts';

// Values that neither `String` nor `JSON.stringify` can make text of.
const bare: object = Object.create(null);
const looped: Record<string, unknown> = {};
looped['self'] = looped;

test.each([
  [null, 'TypeError', 'options to be an object, got null'],
  [
    { speed: 1 },
    'TypeError',
    'options to have only seed, plan, host, port, now, credentials, got "speed"',
  ],
  [{ seed: {} }, 'TypeError', 'seed to be a string or a finite number, got {}'],
  [{ seed: Number.NaN }, 'TypeError', 'seed to be a string or a finite number, got NaN'],
  [{ host: '' }, 'TypeError', 'host to be a non-empty string, got ""'],
  [{ port: '80' }, 'TypeError', 'port to be a whole number from 0 to 65535, got "80"'],
  [{ port: 65_536 }, 'RangeError', 'port to be a whole number from 0 to 65535, got 65536'],
  [{ port: 1.5 }, 'RangeError', 'port to be a whole number from 0 to 65535, got 1.5'],
  [{ now: 5 }, 'TypeError', 'now to be a function, got 5'],
  [{ plan: { sncf: {} } }, 'TypeError', 'plan to have only renfe, ouigo, avlo, got "sncf"'],
  [{ seed: bare }, 'TypeError', 'seed to be a string or a finite number, got {}'],
  [{ host: looped }, 'TypeError', 'host to be a non-empty string, got an object'],
  [{ now: looped }, 'TypeError', 'now to be a function, got an object'],
  [{ credentials: 'x' }, 'TypeError', 'credentials to be an object, got "x"'],
  [
    { credentials: { username: 'anna', password: () => 'x' } },
    'TypeError',
    'credentials.password to be a non-empty string, got a function',
  ],
] as const)('startCarrierSim(%o) rejects', async (options, name, complaint) => {
  await expect(startCarrierSim(options as never)).rejects.toMatchObject({
    name,
    message: `Cannot start carrier simulator: expected ${complaint}`,
  });
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
    message: `Cannot start carrier simulator: expected 127.0.0.1:${port} to be free, got EADDRINUSE`,
  });
  expect(CarrierSimError.is(new Error('other'))).toBe(false);
});

const kinds = 'hang, error, error-drip, rate-limited, drip, truncated, malformed-price, throttled';
const time = 'a number from 0 to 600000';
test.each([
  [undefined, 'TypeError', 'plan to be an object, got undefined'],
  [{ delay: 5 }, 'TypeError', 'plan to have only latency, fault, journeys, got "delay"'],
  [{ latency: 50 }, 'TypeError', 'latency to be an object, got 50'],
  [
    { latency: {} },
    'RangeError',
    'latency.kind to be one of fixed, random, lognormal, got undefined',
  ],
  [{ latency: { kind: 'fixed' } }, 'TypeError', `latency.ms to be ${time}, got undefined`],
  [{ latency: { kind: 'fixed', ms: -1 } }, 'RangeError', `latency.ms to be ${time}, got -1`],
  [
    { latency: { kind: 'fixed', ms: Number.NaN } },
    'RangeError',
    `latency.ms to be ${time}, got NaN`,
  ],
  [
    { latency: { kind: 'random', ms: 1 } },
    'TypeError',
    'random latency to have only kind, got "ms"',
  ],
  [
    { latency: { kind: 'lognormal', p50Ms: 9, p99Ms: 8 } },
    'RangeError',
    'latency.p99Ms to be a number from 9 to 600000, got 8',
  ],
  [{ fault: 'hang' }, 'TypeError', 'fault to be an object, got "hang"'],
  [{ fault: { kind: 'fire' } }, 'RangeError', `fault.kind to be one of ${kinds}, got "fire"`],
  [
    { fault: { kind: 'hang', share: 2 } },
    'RangeError',
    'fault.share to be a number from 0 to 1, got 2',
  ],
  [
    { fault: { kind: 'hang', retryAfterSeconds: 1 } },
    'TypeError',
    'fault hang to have only kind, share, got "retryAfterSeconds"',
  ],
  [
    { fault: { kind: 'throttled', retryAfterSeconds: 0.5 } },
    'RangeError',
    'fault.retryAfterSeconds to be a whole number from 0 to 86400, got 0.5',
  ],
  [{ journeys: 1001 }, 'RangeError', 'journeys to be a whole number from 0 to 1000, got 1001'],
  [{ journeys: '5' }, 'TypeError', 'journeys to be a whole number from 0 to 1000, got "5"'],
] as const)('setPlan(%j) throws', async (patch, name, complaint) => {
  const sim = await startedSim();
  const before = sim.plan('renfe');
  expect(() => sim.setPlan('renfe', patch as never)).toThrow(
    expect.objectContaining({ name, message: `Cannot set plan of renfe: expected ${complaint}` }),
  );
  expect(sim.plan('renfe')).toEqual(before);
});

test('plan() and setPlan() throw for a carrier that is not simulated', async () => {
  const sim = await startedSim();
  const message = 'expected carrier to be one of renfe, ouigo, avlo, got "sncf"';
  expect(() => sim.setPlan('sncf' as never, {})).toThrow(
    new RangeError(`Cannot set plan: ${message}`),
  );
  expect(() => sim.plan('sncf' as never)).toThrow(new RangeError(`Cannot read plan: ${message}`));
});

test('createTimetable() and its trains() throw for a bad seed, date and number of journeys', () => {
  expect(() => createTimetable({ seed: null as never })).toThrow(
    new TypeError(
      'Cannot create timetable: expected seed to be a string or a finite number, got null',
    ),
  );
  const { trains } = createTimetable({ seed: 1 });
  expect(() => trains({ ...madridBarcelona, date: '1/12/2026' })).toThrow(
    new RangeError('Cannot list trains: expected a date like 2026-12-01, got "1/12/2026"'),
  );
  expect(() => trains({ ...madridBarcelona, journeys: 1001 })).toThrow(
    new RangeError(
      'Cannot list trains: expected journeys to be a whole number from 0 to 1000, got 1001',
    ),
  );
  expect(() => trains({ ...madridBarcelona, carrier: 'sncf' as never })).toThrow(
    new RangeError(
      'Cannot list trains: expected carrier to be one of renfe, ouigo, avlo, got "sncf"',
    ),
  );
});

test('encodeRenfe() and encodeAvlo() throw for a station that the wire cannot name', () => {
  const [train] = createTimetable({ seed: 1 }).trains(madridBarcelona);
  if (!train) throw new Error('no train');
  expect(() => encodeRenfe([{ ...train, origin: '1' }])).toThrow(
    new RangeError('Cannot find station: expected the UIC code of a simulated station, got "1"'),
  );
  expect(() => encodeAvlo([{ ...train, origin: '7179300' }])).toThrow(
    new TypeError('Cannot encode train: expected a station of Avlo, got "Girona"'),
  );
});
