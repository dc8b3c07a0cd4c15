import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTimetable, encodeAvlo, encodeOuigo, encodeRenfe } from '../src/index.ts';
import { addDays } from '../src/timetable/local-clock.ts';
import { stations } from '../src/timetable/network.ts';
import { getAvlo, loginOuigo, searchOuigo, searchRenfe, visitRenfe } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

const sha256 = (parts: readonly string[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('hex').slice(0, 16);
};

/** Everything of an answer but what the server's clock decides. */
async function whole(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return JSON.stringify([response.status, headers, await response.text()]);
}

// Tests of users hold to these bytes, as those of this repository do.
const seeds = [1, 'golden'];
const days = ['2026-03-29', '2026-10-25', date];

// Since 0.2.0 only the names of Renfe's fares have changed, and how many fares Avlo's trains have there.
test('the trains of the Spanish network stay the same', () => {
  const trains = seeds.flatMap((seed) => {
    const timetable = createTimetable({ seed });
    return stations.flatMap(({ uic: origin }, index) =>
      [1, 5, 17].map((step) => {
        const { uic: destination = '' } = stations[(index + step) % stations.length] ?? {};
        const day = days[index % days.length] ?? date;
        return JSON.stringify(timetable.trains({ origin, destination, date: day }));
      }),
    );
  });
  const main = days.map((day) =>
    JSON.stringify(
      createTimetable({ seed: 7 }).trains({
        origin: '7160000',
        destination: '7171801',
        date: day,
        journeys: 40,
      }),
    ),
  );
  expect([sha256(trains), sha256(main)]).toMatchInlineSnapshot(`
    [
      "3fabd6e2b9b02531",
      "a01f6b63b75f59f0",
    ]
  `);
});

test('the encoders give the same bytes', () => {
  const { trains } = createTimetable({ seed: 1 });
  const bodies = [encodeRenfe, encodeOuigo, encodeAvlo].map((encode) =>
    sha256(
      days.map((day) => encode(trains({ origin: '7160000', destination: '7171801', date: day }))),
    ),
  );
  expect(bodies).toMatchInlineSnapshot(`
    [
      "7094a1088f3471d9",
      "8574867a2069f7e4",
      "d1bb9cec70befaf0",
    ]
  `);
});

test('every call of the three wires is answered with the same bytes and headers', async () => {
  const sim = await startedSim();
  const calls = async (ask: () => Promise<readonly Response[]>) =>
    sha256(await Promise.all((await ask()).map(whole)));
  const renfe = await calls(async () => {
    const visit = visitRenfe(sim.url);
    const form = { origin: '60000', destination: '71801', date };
    return [
      await fetch(`${sim.url}/renfe/vol/inicio.do`),
      await searchRenfe(sim.url, form),
      await searchRenfe(sim.url, { origin: '71801', destination: '51003', date }),
      await searchRenfe(sim.url, { ...form, destination: '99999' }),
      await searchRenfe(sim.url, { ...form, date: '2026-11-20' }),
      await visit.list('', 'none'),
    ];
  });
  const ouigo = await calls(async () => {
    const search = { origin: 'MAD', destination: 'BCN', date };
    return [
      await loginOuigo(sim.url, { username: 'anna', password: 'secret' }),
      await loginOuigo(sim.url, {}),
      await searchOuigo(sim.url, search),
      await searchOuigo(sim.url, { ...search, origin: 'X' }),
      await searchOuigo(sim.url, { ...search, date: addDays(date, 900) }),
      await searchOuigo(sim.url, { ...search, token: 'none' }),
    ];
  });
  const avlo = await calls(async () => [
    await getAvlo(sim.url, date),
    await getAvlo(sim.url, '2026-02-30'),
    await getAvlo(sim.url, '2028-01-01'),
  ]);
  const missing = await calls(async () => [
    await fetch(`${sim.url}/renfe/none`),
    await fetch(`${sim.url}/ouigo/Token/login`),
  ]);
  expect({ renfe, ouigo, avlo, missing }).toMatchInlineSnapshot(`
    {
      "avlo": "95df2d418b011ce6",
      "missing": "2b865069b24e03b6",
      "ouigo": "0a477f5ec4ca8a89",
      "renfe": "f05f154a930fb1fc",
    }
  `);
});

test('the plans that fail answer with the same bytes', async () => {
  const sim = await startedSim();
  const answers: string[] = [];
  for (const kind of [
    'error',
    'rate-limited',
    'truncated',
    'malformed-price',
    'throttled',
  ] as const) {
    for (const carrier of ['renfe', 'ouigo', 'avlo'] as const)
      sim.setPlan(carrier, { fault: { kind } });
    const search = { origin: '60000', destination: '71801', date };
    if (kind !== 'error' && kind !== 'rate-limited') {
      answers.push(await whole(await searchRenfe(sim.url, search)));
      answers.push(
        await whole(await searchOuigo(sim.url, { ...search, origin: 'MAD', destination: 'BCN' })),
      );
    }
    answers.push(await whole(await getAvlo(sim.url, date)));
  }
  expect(sha256(answers)).toMatchInlineSnapshot(`"b961c24e318a3415"`);
});
