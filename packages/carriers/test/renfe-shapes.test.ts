import type { CarrierAnswer, CarrierQuery, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, failureOf, queryOf } from './upstream.ts';

const { renfe } = createCarriers('http://127.0.0.1:1');

// The shapes that Renfe's shop sends, with other trains, prices and texts: see wires/renfe.md.

const fare = {
  cdgoClase: 'T',
  codigoTarifa: 'N1010',
  oferta: { color: '', tipo: 'N', txtBoton: '' },
  plazaH: true,
  precioTarifa: '40,5',
  prestaciones: ['No reembolsable', null],
  soloPlazasH: false,
  tarifaTramoCombViewBean: [{ cdgoClase: 'T', cdgoTren: '03111' }],
  titulo: 'Básico',
};

const run = {
  cdgoEstacionDestinoTrayecto: '71801',
  cdgoEstacionOrigenTrayecto: '60000',
  cdgoTren: '03111',
  descripcionEstacionDestino: 'BARCELONA-SANTS',
  descripcionEstacionOrigen: 'MADRID',
  duracionTrayecto: '2 horas 45 minutos',
  fecha: '2026-12-01',
  horaLlegada: '09:45:00',
  horaSalida: '07:00:00',
  tipoTren: 'AVE',
};

const entry = {
  codigoEstacionDestino: '71801',
  codigoEstacionOrigen: '60000',
  completo: false,
  directo: true,
  duracionViajeTotalEnMinutos: 165,
  fecha: '2026-12-01',
  horaLlegada: '09:45',
  horaSalida: '07:00',
  razonNoDisponible: '8',
  soloPlazaH: false,
  tarifasDisponibles: [fare],
  tipoTrenDos: null,
  tipoTrenUno: 'AVE',
  trayectos: [run],
};

const list = { cdgoError: null, hayError: false, mensajeListaTrenVacia: null, viajeIda: true };

type Fields = Readonly<Record<string, unknown>>;

const script = (handler: string, value: unknown): string =>
  `throw 'x';\n(function(){\nvar r=window.dwr._[0];\nr.${handler}("0","0",${JSON.stringify(value)});\n})();`;

function readLists(lists: unknown, query: CarrierQuery = queryOf()): CarrierAnswer {
  const body = bytesOf(script('handleCallback', { listadoTrenes: lists }));
  return renfe.normalise({ body, receivedAt: 1 }, query);
}

function readEntry(change: Fields, query?: CarrierQuery): CarrierAnswer {
  return readLists([{ ...list, listviajeViewEnlaceBean: [{ ...entry, ...change }] }], query);
}

const offersOf = (change: Fields, query?: CarrierQuery) =>
  readEntry(change, query).journeys[0]?.offers;
const offersOfFares = (...fares: Fields[]) => offersOf({ tarifasDisponibles: fares });
const rideOf = (change: Fields, query?: CarrierQuery) => {
  const [journey] = readEntry(change, query).journeys;
  return journey?.legs[0] as RideLeg;
};

test('renfe: a fare for places that are kept for wheelchairs or bicycles is no offer, a fare that also has such places is one', () => {
  const reserved = { ...fare, precioTarifa: '12', soloPlazasH: true };
  expect(offersOfFares(reserved, fare)).toMatchObject([{ total: { amount: 4050 } }]);
  expect(offersOfFares(reserved)).toEqual([]);
  expect(offersOfFares({ ...fare, plazaH: true, soloPlazasH: null })).toHaveLength(1);
  expect(offersOf({ soloPlazaH: true })).toEqual([]);
});

test('renfe: a fare of a promotion is no offer', () => {
  const promoted = { ...fare, precioTarifa: '9', oferta: { color: 'x', tipo: 'P', txtBoton: 'x' } };
  expect(offersOfFares(promoted, fare)).toMatchObject([{ total: { amount: 4050 } }]);
  for (const oferta of [null, undefined, { tipo: null }, { tipo: '' }]) {
    expect(offersOfFares({ ...fare, oferta })).toHaveLength(1);
  }
});

test.each<[what: string, change: Fields]>([
  ['no fares at all', { tarifasDisponibles: null }],
  ['a fare without a price', { tarifasDisponibles: [{ ...fare, precioTarifa: null }] }],
  ['a train that is full', { completo: true, razonNoDisponible: '3', tarifasDisponibles: null }],
  ['a train that is blocked', { razonNoDisponible: '4' }],
  ['a train that no list knows the reason of', { razonNoDisponible: '99' }],
])('renfe: %s is a train without an offer', (_what, change) => {
  expect(readEntry(change)).toMatchObject({ journeys: [{ offers: [] }] });
  expect(readEntry(change).filtered).toBeUndefined();
});

test('renfe: a train that does not run is cancelled, one that is full is not', () => {
  for (const razonNoDisponible of ['5', '6', '7']) {
    expect(rideOf({ razonNoDisponible })).toMatchObject({ cancelled: true });
  }
  expect(rideOf({ razonNoDisponible: '3' })).not.toHaveProperty('cancelled');
});

test.each([
  ['T', 'second'],
  ['P', 'first'],
  ['Z', 'any'],
  [null, 'any'],
])('renfe: class %s of a fare is %s', (cdgoClase, travelClass) => {
  expect(offersOfFares({ ...fare, cdgoClase, tarifaTramoCombViewBean: null })).toMatchObject([
    { travelClass },
  ]);
});

test('renfe: a fare whose trains have different classes is of no class', () => {
  const tarifaTramoCombViewBean = [{ cdgoClase: 'P' }, { cdgoClase: 'T' }];
  const offers = offersOfFares({ ...fare, cdgoClase: 'P', tarifaTramoCombViewBean });
  expect(offers).toMatchObject([{ travelClass: 'any' }]);
});

test.each<[conditions: unknown, flexibility: string]>([
  [['No reembolsable', null], 'none'],
  [['Permite 1 cambio hasta un día antes (9 &#128;)', 'No reembolsable'], 'semi'],
  [['Un cambio gratuito', 'Reembolsable 60%'], 'semi'],
  [['Cambios y anulaciones (9 &#128;)'], 'semi'],
  [['Cambios gratuitos ilimitados, Cambio de titular gratuito'], 'full'],
  [['100% reembolsable hasta una semana antes, después 80%'], 'full'],
  [['Cambio de titular con coste', 'Cambio por pérdida de tren con coste'], 'unknown'],
  [['Asiento grande'], 'unknown'],
  [[null, 5], 'unknown'],
  [null, 'unknown'],
])('renfe: the conditions %j are %s', (prestaciones, flexibility) => {
  expect(offersOfFares({ ...fare, prestaciones })).toMatchObject([{ flexibility }]);
});

test.each<[prestaciones: unknown, conditions: unknown]>([
  [
    ['Permite 1 cambio hasta un día antes (9 &#128; + diferencia)', 'No reembolsable', 'Maleta'],
    {
      refund: 'no',
      exchange: 'fee',
      text: 'Permite 1 cambio hasta un día antes (9 € + diferencia); No reembolsable',
    },
  ],
  [
    ['Un cambio gratuito, siguientes 9 &#128', 'Reembolsable 60%', null],
    {
      refund: 'fee',
      exchange: 'yes',
      text: 'Un cambio gratuito, siguientes 9 €; Reembolsable 60%',
    },
  ],
  [
    ['Cambios y anulaciones (9 &euro;)'],
    { refund: 'fee', exchange: 'fee', text: 'Cambios y anulaciones (9 €)' },
  ],
  [
    ['Puente, Cambio de titular gratuito, Cambios gratuitos ilimitados', '100% reembolsable'],
    {
      refund: 'yes',
      exchange: 'yes',
      text: 'Puente, Cambio de titular gratuito, Cambios gratuitos ilimitados; 100% reembolsable',
    },
  ],
  [
    ['Permite 1 cambio', 'Reembolsable'],
    { refund: 'unknown', exchange: 'unknown', text: 'Permite 1 cambio; Reembolsable' },
  ],
  [['No permite cambios'], { refund: 'unknown', exchange: 'no', text: 'No permite cambios' }],
  [
    ['Cambio de titular gratuito', 'Cambio por pérdida de tren con coste'],
    {
      refund: 'unknown',
      exchange: 'unknown',
      text: 'Cambio de titular gratuito; Cambio por pérdida de tren con coste',
    },
  ],
  [
    ['100% reembolsable', 'No reembolsable'],
    { refund: 'unknown', exchange: 'unknown', text: '100% reembolsable; No reembolsable' },
  ],
  [['<b>Reembolsable</b> 60%'], { refund: 'fee', exchange: 'unknown', text: 'Reembolsable 60%' }],
  [['Asiento grande'], undefined],
  [[null, 5], undefined],
  [null, undefined],
])('renfe: what may be done with a ticket of %j', (prestaciones, conditions) => {
  expect(offersOfFares({ ...fare, prestaciones })?.[0]?.conditions).toEqual(conditions);
});

test('renfe: words of conditions are of 500 characters at most', () => {
  const prestaciones = Array.from(
    { length: 40 },
    (_, i) => `Reembolsable ${i % 10}0% ${'x'.repeat(90)}`,
  );
  expect(offersOfFares({ ...fare, prestaciones })?.[0]?.conditions?.text).toHaveLength(500);
});

test('renfe: notices of a train are its remarks, in plain text; no code of them is known to be of a disruption', () => {
  const incidents = (lstIncidencias: unknown) =>
    rideOf({ trayectos: [{ ...run, lstIncidencias }] }).remarks;
  expect(
    incidents([
      { cdgoInc: 'BICI ', description: 'Bicicletas en el <b>coche&nbsp;3</b>.<br>', icon: 'x.gif' },
      { cdgoInc: null, description: '<br>' },
      null,
      { description: 'Cafetería cerrada' },
    ]),
  ).toEqual([
    { kind: 'info', text: 'Bicicletas en el coche 3.', code: 'BICI' },
    { kind: 'info', text: 'Cafetería cerrada' },
  ]);
  for (const none of [undefined, null, [], [{}], 'x']) expect(incidents(none)).toBeUndefined();
  const many = Array.from({ length: 30 }, (_, i) => ({ description: `${i} ${'y'.repeat(600)}` }));
  expect(incidents(many)?.map(({ text }) => text.length)).toEqual(Array(20).fill(500));
});

test('renfe: notices of a journey are its remarks: of one that does not run a disruption', () => {
  const remarksOf = (change: Fields) => readEntry(change).journeys[0]?.remarks;
  const msgCambioEstacionTransbordo = 'ATENCIÓN:<br><br>cambio de estación.';
  expect(remarksOf({ msgCambioEstacionTransbordo, msgTrenNoDispo: 'Venta en taquilla' })).toEqual([
    { kind: 'info', text: 'Venta en taquilla' },
    { kind: 'info', text: 'ATENCIÓN: cambio de estación.' },
  ]);
  expect(remarksOf({ razonNoDisponible: '6', msgTrenNoDispo: 'No circula' })).toEqual([
    { kind: 'disruption', text: 'No circula' },
  ]);
  expect(remarksOf({ msgTrenNoDispo: null, msgCambioEstacionTransbordo: '' })).toBeUndefined();
});

test('renfe: its operator has a name', () => {
  expect(readEntry({}).operators).toEqual({ renfe: 'Renfe' });
});

test('renfe: children are asked for as adults, and their ages are reported as ignored', () => {
  expect(renfe.capabilities?.passengers ?? 'count').toBe('count');
  const family: CarrierQuery = { ...queryOf(), passengers: [{ age: 40 }, { age: 9 }, { age: 2 }] };
  const [offer] = offersOf({}, family) ?? [];
  // The price of an adult, three times; whose it is of a party with children no answer has shown.
  expect(offer?.total.amount).toBe(3 * 4050);
  expect(offer).not.toHaveProperty('passengers');
});

test('renfe: platforms and stops, which are in no list of trains, are absent', () => {
  const ride = rideOf({}, { ...queryOf(), stops: true });
  for (const absent of ['departurePlatform', 'arrivalPlatform', 'stops', 'booking']) {
    expect(ride).not.toHaveProperty(absent);
  }
});

test('renfe: fares under one code are two offers, and a fare without a code or a name is one', () => {
  expect(offersOfFares(fare, { ...fare, precioTarifa: '50' })).toMatchObject([
    { id: 'N1010', fareName: 'Básico' },
    { id: 'N1010-2' },
  ]);
  const [unnamed] = offersOfFares({ ...fare, codigoTarifa: null, titulo: null }) ?? [];
  expect(unnamed).toMatchObject({ id: 'fare' });
  expect(unnamed).not.toHaveProperty('fareName');
  expect(offersOfFares({ ...fare, titulo: 'x'.repeat(900) })?.[0]?.fareName).toHaveLength(500);
});

test('renfe: the stations of a direct train are its own, not the stations of the query', () => {
  const change = { codigoEstacionOrigen: '17000', codigoEstacionDestino: '04040' };
  expect(rideOf(change)).toMatchObject({ origin: 'uic:7117000', destination: 'uic:7104040' });
});

test('renfe: a station that the table lacks is a place under its name, where it is the end of the query that end', () => {
  const change = { codigoEstacionDestino: '23008', descripcionEstacionDestino: 'UNA CIUDAD' };
  const { places, journeys } = readEntry(change);
  expect(journeys[0]?.legs[0]).toMatchObject({ destination: 'renfe:23008' });
  expect(places).toContainEqual({
    id: 'renfe:23008',
    name: 'UNA CIUDAD',
    zone: 'Europe/Madrid',
  });
  const query = queryOf();
  const destination = { ...query.destination, id: 'uic:7123008', codes: { renfe: '23008' } };
  expect(rideOf(change, { ...query, destination })).toMatchObject({ destination: 'uic:7123008' });
});

const onward = {
  ...run,
  cdgoEstacionOrigenTrayecto: '17000',
  cdgoTren: '04111',
  horaSalida: '11:00:00',
  horaLlegada: '13:30:00',
  duracionTrayecto: '2 horas 30 minutos',
  tipoTren: 'ALVIA ',
};

test('renfe: each train of a change has its stations, times with seconds, and brand; the change may lead to another station', () => {
  const { journeys } = readEntry({
    directo: false,
    duracionViajeTotalEnMinutos: 390,
    horaLlegada: '13:30',
    tipoTrenUno: null,
    trayectos: [
      {
        ...run,
        cdgoEstacionDestinoTrayecto: '60000',
        cdgoEstacionOrigenTrayecto: '51003',
        tipoTren: 'AVLO',
      },
      onward,
    ],
  });
  expect(journeys).toMatchObject([
    {
      transfers: 1,
      durationMinutes: 390,
      legs: [
        { brand: 'AVLO', number: '3111', origin: 'uic:7151003', destination: 'uic:7160000' },
        { kind: 'transfer', origin: 'uic:7160000', destination: 'uic:7117000', minutes: 75 },
        { brand: 'ALVIA', number: '4111', origin: 'uic:7117000', destination: 'uic:7171801' },
      ],
    },
  ]);
});

test("renfe: Avlo's trains are of brand AVLO", () => {
  expect(rideOf({ tipoTrenUno: 'AVLO' })).toMatchObject({ brand: 'AVLO', operator: 'renfe' });
});

test('renfe: a train without a number, a brand or minutes runs nonetheless', () => {
  const ride = rideOf({
    tipoTrenUno: null,
    duracionViajeTotalEnMinutos: null,
    trayectos: [{ ...run, cdgoTren: null, tipoTren: null }],
  });
  expect(ride).toMatchObject({ arrival: { iso: '2026-12-01T09:45:00+01:00[Europe/Madrid]' } });
  expect(ride).not.toHaveProperty('number');
  expect(ride).not.toHaveProperty('brand');
  expect(readEntry({ trayectos: null }).journeys).toHaveLength(1);
  expect(readEntry({ trayectos: run }).journeys).toHaveLength(1);
  expect(readEntry({ duracionViajeTotalEnMinutos: '165' }).journeys).toHaveLength(1);
});

test.each<[what: string, times: Fields, departure: string, arrival: string]>([
  [
    'leaves in the hour that comes again',
    { horaSalida: '02:30', horaLlegada: '05:00', duracionViajeTotalEnMinutos: 150 },
    '2026-10-25T02:30:00+01:00',
    '2026-10-25T05:00:00+01:00',
  ],
  [
    'leaves before it comes again',
    { horaSalida: '02:30', horaLlegada: '05:00', duracionViajeTotalEnMinutos: 210 },
    '2026-10-25T02:30:00+02:00',
    '2026-10-25T05:00:00+01:00',
  ],
  [
    'arrives in the hour that comes again',
    { horaSalida: '01:50', horaLlegada: '02:20', duracionViajeTotalEnMinutos: 90 },
    '2026-10-25T01:50:00+02:00',
    '2026-10-25T02:20:00+01:00',
  ],
  [
    'arrives after midnight',
    { horaSalida: '23:10', horaLlegada: '00:40', duracionViajeTotalEnMinutos: 90 },
    '2026-10-25T23:10:00+01:00',
    '2026-10-26T00:40:00+01:00',
  ],
])(
  'renfe: the minutes of the answer decide between two readings: a train %s',
  (_what, times, departure, arrival) => {
    const ride = rideOf({ fecha: '2026-10-25', trayectos: [{ cdgoTren: '03111' }], ...times });
    expect(ride.departure.iso).toContain(departure);
    expect(ride.arrival.iso).toContain(arrival);
  },
);

test.each<[what: string, lists: unknown]>([
  [
    'a message and no list',
    [{ ...list, listviajeViewEnlaceBean: null, mensajeListaTrenVacia: 'x' }],
  ],
  ['an empty list', [{ ...list, listviajeViewEnlaceBean: [] }]],
  ['no lists', []],
  ['null in place of the lists', null],
  ['only the way back, with an error', [{ ...list, viajeIda: false, hayError: 'true' }]],
])('renfe: %s is a day without trains', (_what, lists) => {
  expect(readLists(lists)).toEqual({ journeys: [] });
});

test('renfe: the list of the way back is left aside', () => {
  const back = { ...list, viajeIda: false, listviajeViewEnlaceBean: [entry, {}] };
  expect(readLists([{ ...list, listviajeViewEnlaceBean: [entry] }, back]).journeys).toHaveLength(1);
});

const empty = { ...list, listviajeViewEnlaceBean: [] };

test.each<[what: string, run: () => unknown, code: string]>([
  ['a list with an error', () => readLists([{ ...empty, hayError: true }]), 'UPSTREAM'],
  ['an error that is a text', () => readLists([{ ...empty, hayError: 'true' }]), 'UPSTREAM'],
  ['a code that no list has', () => readLists([{ ...empty, cdgoError: 'E1' }]), 'UPSTREAM'],
  ['a pair of another shop', () => readLists([{ ...empty, cdgoError: 'CRC1' }]), 'NOT_SERVED'],
  ['too many searches', () => readLists([{ ...empty, cdgoError: 'U014' }]), 'RATE_LIMITED'],
])('renfe: %s is %s', async (_what, run, code) => {
  expect((await failureOf(run)).code).toBe(code);
});

test('renfe: too many searches have the time for which it answers nobody, another error has none', async () => {
  const inList = await failureOf(() => readLists([{ ...empty, cdgoError: 'U014' }]));
  const body = bytesOf(script('handleException', { cdgoError: 'U014' }));
  const thrown = await failureOf(() => renfe.normalise({ body, receivedAt: 1 }, queryOf()));
  const other = await failureOf(() => readLists([{ ...empty, cdgoError: 'E1' }]));
  const pauses = [inList, thrown, other].map(({ retryAfterMs }) => retryAfterMs);
  expect(pauses).toEqual([600_000, 600_000, undefined]);
});

test.each<[exception: unknown, code: string, message: string]>([
  [{ cdgoError: 'U014', message: 'x' }, 'RATE_LIMITED', 'U014'],
  [{ cdgoError: 'U999' }, 'UPSTREAM', 'U999'],
  [{ javaClassName: 'java.lang.Error', message: 'gone' }, 'UPSTREAM', 'gone'],
  [{ javaClassName: 'java.lang.Error', message: null }, 'UPSTREAM', 'java.lang.Error'],
  [null, 'UPSTREAM', 'an exception'],
  [{ message: 'x'.repeat(10_000) }, 'UPSTREAM', 'x'.repeat(500)],
])(
  'renfe: an exception is an error of the server, whatever it has',
  async (exception, code, message) => {
    const body = bytesOf(script('handleException', exception));
    const error = await failureOf(() => renfe.normalise({ body, receivedAt: 1 }, queryOf()));
    expect(error).toMatchObject({ code, message: `Cannot ask \`renfe\`: it answered ${message}` });
  },
);
