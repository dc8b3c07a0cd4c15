import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createTimetable, encodeRenfe } from '../src/index.ts';
import { localTimeAt } from '../src/timetable/local-clock.ts';
import { searchRenfe, visitRenfe } from './call-wires.ts';
import { barcelona, date, madridBarcelona, startedSim } from './started-sim.ts';

const search = { origin: '60000', destination: '71801', date };

interface Row {
  [field: string]: unknown;
  trayectos: Record<string, string>[];
  tarifasDisponibles:
    | { precioTarifa: string; soloPlazasH: boolean; oferta: { tipo: string } }[]
    | null;
}

/** Runs the script as a browser with DWR does; the test's own server wrote it. */
function runScript(script: string) {
  const calls: { handler: string; batch: string; value: Record<string, unknown> }[] = [];
  const handle = (handler: string) => (_call: string, batch: string, value: never) =>
    calls.push({ handler, batch, value });
  const window = {
    dwr: {
      _: [
        {
          handleCallback: handle('handleCallback'),
          handleException: handle('handleException'),
        },
      ],
    },
  };
  expect(script).toMatch(/^throw 'allowScriptTagRemoting is false\.';\n/);
  runInNewContext(script.slice(script.indexOf('\n')), { window });
  return JSON.parse(JSON.stringify(calls[0])) as (typeof calls)[number];
}

async function rowsOf(response: Response): Promise<Row[]> {
  const { value } = runScript(await response.text());
  const [list] = value['listadoTrenes'] as { listviajeViewEnlaceBean: Row[] }[];
  return list?.listviajeViewEnlaceBean ?? [];
}

async function errorOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(200);
  const { handler, batch, value } = runScript(await response.text());
  expect({ handler, batch, javaClass: value['javaClassName'] }).toEqual({
    handler: 'handleException',
    batch: '1',
    javaClass: 'es.renfe.dwr.VentaException',
  });
  return value['cdgoError'];
}

test('renfe answers a search with every train that it sells', async () => {
  const sim = await startedSim();
  const response = await searchRenfe(sim.url, search);
  expect(response.headers.get('content-type')).toBe('text/javascript;charset=utf-8');
  const rows = await rowsOf(response);
  const trains = sim.trains({ ...madridBarcelona, carrier: 'renfe' });
  expect(rows).toHaveLength(18);
  expect(
    rows.map((row) => ({
      number: row.trayectos[0]?.['cdgoTren'],
      brand: row['tipoTrenUno'],
      departure: `${row['fecha']} ${row['horaSalida']}`,
      arrival: row['horaLlegada'],
      minutes: row['duracionViajeTotalEnMinutos'],
      soldOut: row['completo'],
      cents: (row.tarifasDisponibles ?? [])
        .filter(({ soloPlazasH, oferta }) => !soloPlazasH && oferta.tipo === 'N')
        .map(({ precioTarifa }) =>
          Math.round(Number(precioTarifa.replaceAll('.', '').replace(',', '.')) * 100),
        ),
    })),
  ).toEqual(
    trains.map((train) => ({
      number: train.number,
      brand: train.brand,
      departure: `${date} ${localTimeAt(train.departureMs, 'Europe/Madrid').time}`,
      arrival: localTimeAt(train.arrivalMs, 'Europe/Madrid').time,
      minutes: (train.arrivalMs - train.departureMs) / 60_000,
      soldOut: train.seatsLeft === 0,
      cents: train.fares.map(({ cents }) => cents),
    })),
  );
});

test('renfe writes prices, accents and arrivals after midnight as its wire has them', async () => {
  const sim = await startedSim();
  const text = await (await searchRenfe(sim.url, search)).text();
  expect(text).toMatch(/precioTarifa:"1\.\d{3}(,\d{1,2})?"/);
  expect(text).not.toMatch(/precioTarifa:"[^"]*,\d?0"/);
  expect(text).toContain('titulo:"B\\u00E1sico"');
  expect(text).toMatch(/horaLlegada:"00:\d\d",horaSalida:"22:15"/);
  expect(text).toContain('completo:true');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the wire is ASCII and this is what ASCII is.
  expect(text).toMatch(/^[\x00-\x7f]*$/);
});

test('renfe prints an arrival in Lisbon on the clocks of Lisbon', async () => {
  const sim = await startedSim();
  const [row] = await rowsOf(await searchRenfe(sim.url, { ...search, destination: '94021' }));
  const [train] = sim.trains({ ...madridBarcelona, destination: '9431039' });
  expect(row?.['horaLlegada']).toBe(localTimeAt(train?.arrivalMs ?? 0, 'Europe/Lisbon').time);
});

test('renfe offers two trains where none is direct', async () => {
  const sim = await startedSim();
  const rows = await rowsOf(
    await searchRenfe(sim.url, { origin: '71801', destination: '51003', date }),
  );
  const trains = sim.trains({ origin: barcelona, destination: '7151003', date });
  expect(rows).toHaveLength(trains.length);
  expect(rows[0]).toMatchObject({ tipoTrenUno: 'AVE', tipoTrenDos: 'AVE' });
  expect(rows[0]?.trayectos).toEqual(
    trains[0]?.connection?.map((run) =>
      expect.objectContaining({
        cdgoTren: run.number,
        tipoTren: run.brand,
        fecha: date,
        cdgoEstacionOrigenTrayecto: run.origin.slice(2),
        cdgoEstacionDestinoTrayecto: run.destination.slice(2),
        horaSalida: `${localTimeAt(run.departureMs, 'Europe/Madrid').time}:00`,
        horaLlegada: `${localTimeAt(run.arrivalMs, 'Europe/Madrid').time}:00`,
      }),
    ),
  );
});

test('renfe answers U001 without its cookie, its script session or a search', async () => {
  const sim = await startedSim();
  const visit = visitRenfe(sim.url);
  const cookie = await visit.open();
  const id = await visit.generateId(cookie);
  expect(await errorOf(await visit.list(cookie, id))).toBe('U001');
  await visit.submit(cookie, search);
  expect(await errorOf(await visit.list('', id))).toBe('U001');
  expect(await errorOf(await visit.list('JSESSIONID=unknown', id))).toBe('U001');
  expect(await errorOf(await visit.list(cookie, 'wrong'))).toBe('U001');
  expect(await errorOf(await visit.list(cookie, ''))).toBe('U001');
  expect(await rowsOf(await visit.list(cookie, id))).toHaveLength(18);
});

test('renfe answers U002 for a pair that it does not serve and U003 for a date not on sale', async () => {
  const sim = await startedSim();
  const code = async (change: Partial<typeof search>) =>
    errorOf(await searchRenfe(sim.url, { ...search, ...change }));
  expect(await code({ origin: '13200', destination: '71801' })).toBe('U002');
  expect(await code({ origin: '99999' })).toBe('U002');
  expect(await code({ date: '2026-11-20' })).toBe('U003');
  expect(await code({ date: '2027-05-21' })).toBe('U003');
  expect(await code({ date: '2026-02-30' })).toBe('U003');
  expect(await rowsOf(await searchRenfe(sim.url, { ...search, date: '2027-05-20' }))).toHaveLength(
    18,
  );
});

test('renfe lists a train without seats without fares, with its reason', async () => {
  const sim = await startedSim();
  const rows = await rowsOf(await searchRenfe(sim.url, search));
  const full = rows.filter(({ completo }) => completo === true);
  expect(full).toHaveLength(1);
  expect(full[0]).toMatchObject({ tarifasDisponibles: null, razonNoDisponible: '3' });
});

test('renfe keeps the cheapest of the last seats for wheelchairs', async () => {
  const sim = await startedSim({ plan: { renfe: { journeys: 200 } } });
  const rows = await rowsOf(await searchRenfe(sim.url, search));
  const reserved = rows.filter(({ tarifasDisponibles }) => tarifasDisponibles?.[0]?.soloPlazasH);
  expect(reserved.length).toBeGreaterThan(0);
  for (const { tarifasDisponibles } of reserved) {
    expect(tarifasDisponibles?.slice(1).every(({ soloPlazasH }) => !soloPlazasH)).toBe(true);
  }
});

test('renfe has fares of promotions, which are cheaper than those for all, and a date by its constructor', async () => {
  const sim = await startedSim();
  const response = await searchRenfe(sim.url, search);
  const text = await response.clone().text();
  expect(text).toMatch(/fechaServidor:new Date\(\d{13}\),/);
  const rows = await rowsOf(response);
  const trains = sim.trains({ ...madridBarcelona, carrier: 'renfe' });
  const promoted = rows.flatMap(({ tarifasDisponibles }, index) =>
    (tarifasDisponibles ?? [])
      .filter(({ oferta }) => oferta.tipo !== 'N')
      .map(({ precioTarifa }) => [Number(precioTarifa.replace(',', '.')) * 100, trains[index]]),
  );
  expect(promoted.length).toBeGreaterThan(0);
  for (const [cents, train] of promoted as [number, (typeof trains)[number]][]) {
    expect(cents).toBeLessThan(train.fares[0]?.cents ?? 0);
  }
});

test('renfe has the list of the way back unasked, with an error', async () => {
  const sim = await startedSim();
  const { value } = runScript(await (await searchRenfe(sim.url, search)).text());
  expect(value['listadoTrenes']).toMatchObject([
    { viajeIda: true, hayError: false, codigoEstacionOrigen: '60000' },
    { viajeIda: false, hayError: 'true', listviajeViewEnlaceBean: [] },
  ]);
});

test('renfe answers a day without trains with null and a message', async () => {
  const sim = await startedSim({ plan: { renfe: { journeys: 0 } } });
  const { value } = runScript(await (await searchRenfe(sim.url, search)).text());
  expect(value['listadoTrenes']).toMatchObject([
    { listviajeViewEnlaceBean: null, mensajeListaTrenVacia: expect.stringMatching(/./) },
    {},
  ]);
});

test('renfe: waiting-room is a page for people, list-error an error in the list, exception one without a code, no-fares trains that are not full', async () => {
  const sim = await startedSim();
  sim.setPlan('renfe', { fault: { kind: 'waiting-room' } });
  expect(await (await searchRenfe(sim.url, search)).text()).toMatch(/^<!DOCTYPE html>.*queue-it/);
  sim.setPlan('renfe', { fault: { kind: 'list-error' } });
  const { value } = runScript(await (await searchRenfe(sim.url, search)).text());
  expect(value['listadoTrenes']).toMatchObject([{ cdgoError: 'E0001', hayError: true }, {}]);
  sim.setPlan('renfe', { fault: { kind: 'exception' } });
  const thrown = runScript(await (await searchRenfe(sim.url, search)).text());
  expect(thrown).toMatchObject({ handler: 'handleException' });
  expect(thrown.value).not.toHaveProperty('cdgoError');
  sim.setPlan('renfe', { fault: { kind: 'not-running' } });
  const cancelled = await rowsOf(await searchRenfe(sim.url, search));
  expect(new Set(cancelled.map(({ razonNoDisponible }) => razonNoDisponible))).toEqual(
    new Set(['5']),
  );
  sim.setPlan('renfe', { fault: { kind: 'no-fares' } });
  const rows = await rowsOf(await searchRenfe(sim.url, search));
  expect(rows).toHaveLength(18);
  expect(rows.every(({ tarifasDisponibles }) => tarifasDisponibles === null)).toBe(true);
  expect(rows.filter(({ completo }) => completo === true)).toHaveLength(1);
});

test('renfe writes the notices of a train as HTML', () => {
  const { trains } = createTimetable({ seed: 1 });
  const direct = trains({ carrier: 'renfe', origin: '7160000', destination: '7171801', date });
  const body = encodeRenfe(direct);
  const description = '<b>Bicycles</b> need&nbsp;a&nbsp;reservation<br>';
  expect(body).toContain(`cdgoInc:"FR",description:"${description}",icon:"incid.gif `);
  expect(body).toContain('Trains&nbsp;may&nbsp;be&nbsp;late,&nbsp;&amp;&nbsp;platforms');
});
