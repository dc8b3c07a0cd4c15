// What servers write in other ways than documents say, of every carrier: one kind for each test, one row for each carrier.
import type { CarrierAnswer, Leg } from '@ticketing/core';
import { expect, test } from 'vitest';
import {
  type Id,
  readAnswer,
  readText,
  shapes,
  withFields,
  withoutLists,
} from './real-shapes-cases.ts';
import { carrierIds, failureOf } from './upstream.ts';

const plain = (id: Id): CarrierAnswer => readAnswer(id, shapes[id].answer);
const ridesOf = ({ journeys }: CarrierAnswer) =>
  journeys.flatMap(({ legs }) =>
    legs.filter((leg): leg is Leg & { kind: 'ride' } => leg.kind === 'ride'),
  );
const timesOf = ({ journeys }: CarrierAnswer) =>
  journeys.map(({ departure, arrival, durationMinutes, transfers }) => [
    departure.ms,
    arrival.ms,
    durationMinutes,
    transfers,
  ]);

test.each(carrierIds)('%s: the answer of these tests has journeys, none of them left out', (id) => {
  const { journeys, filtered } = plain(id);
  expect(journeys.length).toBeGreaterThan(1);
  expect(filtered).toBeUndefined();
});

/** Fields of closed lists. In XML the name of an element. */
const lists: Readonly<Record<Id, readonly string[]>> = {
  renfe: ['cdgoClase', 'razonNoDisponible', 'tipo', 'codOperador', 'tipoTrenUno', 'tipoTren'],
  ouigo: ['is_promo', 'product_family_id'],
  avlo: [],
  osdm: ['ptMode', 'transferMode', 'overallTravelClass', 'overallFlexibility', 'offerMode', 'type'],
  hafas: ['cls', 'icoX', 'statusCode'],
  ojp: ['PtMode', 'TransferType'],
  navitia: ['type', 'transfer_type', 'mode', 'effect', 'status', 'data_freshness', 'category'],
};

test.each(carrierIds.filter((id) => lists[id].length > 0))(
  '%s: a value that its lists lack means something else, and costs no journey',
  (id) => {
    const { answer } = shapes[id];
    const names = lists[id];
    const stays = [
      'remainInVehicle',
      'changeWithinVehicle',
      'REMAIN_IN_VEHICLE',
      'CHANGE_WITHIN_VEHICLE',
      'stay_in',
    ];
    const unknown = (value: unknown): unknown => {
      if (stays.includes(String(value))) return value;
      return typeof value === 'number' ? 2 ** 20 : 'HYPERSPACE';
    };
    const changed =
      typeof answer === 'string'
        ? names.reduce(
            (text, name) =>
              text.replace(
                new RegExp(`(<${name}>)([^<]*)`, 'g'),
                (_, tag, value) => `${tag}${unknown(value)}`,
              ),
            answer,
          )
        : withFields(answer, (name, value) =>
            names.includes(name) && value !== null && typeof value !== 'object'
              ? unknown(value)
              : value,
          );
    expect(changed).not.toEqual(answer);
    const read = readAnswer(id, changed);
    expect(read.filtered).toBeUndefined();
    expect(timesOf(read)).toEqual(timesOf(plain(id)));
  },
);

test.each<[id: Id, kind: string, modes: readonly string[]]>([
  ['hafas', 'cls', ['other']],
  ['osdm', 'ptMode', ['other']],
  ['ojp', 'PtMode', ['other']],
])('%s: a service of an unknown mode (%s) is of another one', (id, name, modes) => {
  const { answer } = shapes[id];
  const changed =
    typeof answer === 'string'
      ? answer.replace(new RegExp(`(<${name}>)[^<]*`, 'g'), '$1teleport')
      : withFields(answer, (field, value) =>
          field === name ? (id === 'hafas' ? 2 ** 20 : 'TELEPORT') : value,
        );
  expect([...new Set(ridesOf(readAnswer(id, changed)).map(({ mode }) => mode))]).toEqual(modes);
});

/** Fields without which a journey can be shown. In XML the name of an element. */
const optional: Readonly<Record<Id, readonly string[]>> = {
  renfe: [
    ...['tarifasDisponibles', 'razonNoDisponible', 'duracionViajeTotalEnMinutos', 'tarifaMinima'],
    ...['cdgoTren', 'tipoTrenUno', 'tipoTrenDos', 'tipoTren', 'duracionTrayecto', 'lstIncidencias'],
    ...['descripcionEstacionOrigen', 'descripcionEstacionDestino', 'id', 'completo', 'soloPlazaH'],
    ...['cdgoError', 'hayError', 'mensajeListaTrenVacia', 'fechaServidor', 'duracionTrasbordo'],
  ],
  ouigo: [
    ...['segments', 'price', 'remaining_seats', 'full', 'original_price', 'is_promo', 'packages'],
    ...['name', 'blocs_cms_outbound', 'error'],
  ],
  avlo: ['price'],
  osdm: [
    ...[
      'duration',
      'startTime',
      'endTime',
      'transfers',
      'service',
      'stopPlaceName',
      'estimatedTime',
    ],
    ...['createdOn', 'preBookableUntil', 'offerSummary', 'products', 'admissionOfferParts'],
    ...['passengerRefs', 'offerId'],
  ],
  hafas: [
    ...[
      'cid',
      'dur',
      'chg',
      'trfRes',
      'jny',
      'globalIdL',
      'crd',
      'name',
      'dTimeR',
      'aTimeR',
      'opL',
    ],
    ...['dTZOffset', 'aTZOffset', 'prodL', 'fpB', 'fpE', 'outCtxScrB', 'outCtxScrF', 'err', 'ver'],
  ],
  ojp: [
    ...['EstimatedTime', 'PublishedServiceName', 'TrainNumber', 'ShortName', 'OperatingDayRef'],
    ...['Transfers', 'StartTime', 'EndTime', 'OperatorRef', 'Mode', 'StopPointName', 'CalcTime'],
  ],
  navitia: [
    ...[
      'fare',
      'duration',
      'links',
      'disruptions',
      'notes',
      'tickets',
      'context',
      'codes',
      'coord',
    ],
    ...['stop_date_times', 'status', 'additional_informations', 'co2_emission', 'timezone', 'name'],
    ...[
      'base_departure_date_time',
      'base_arrival_date_time',
      'display_informations',
      'nb_transfers',
    ],
  ],
};

test.each(carrierIds)('%s: null is as if absent, and costs no journey', (id) => {
  const { answer } = shapes[id];
  const names = optional[id];
  const changed =
    typeof answer === 'string'
      ? names.reduce(
          (text, name) => text.replace(new RegExp(`<${name}>.*?</${name}>`, 'g'), `<${name}/>`),
          answer,
        )
      : withFields(answer, (name, value) => (names.includes(name) ? null : value));
  expect(changed).not.toEqual(answer);
  const read = readAnswer(id, changed);
  expect(read.filtered).toBeUndefined();
  const departures = (one: CarrierAnswer) => one.journeys.map(({ departure }) => departure.ms);
  expect(departures(read)).toEqual(departures(plain(id)));
  // What is not told is none: neither a price nor a number.
  expect(read.journeys.flatMap(({ offers }) => offers)).toEqual([]);
  expect(ridesOf(read).flatMap(({ number }) => number ?? [])).toEqual([]);
});

/** Fields of numbers. XML has texts alone. */
const numbers: Readonly<Partial<Record<Id, readonly string[]>>> = {
  renfe: ['duracionViajeTotalEnMinutos', 'id'],
  ouigo: ['price', 'remaining_seats', 'original_price'],
  avlo: ['price', 'origin', 'destination'],
  osdm: ['amount', 'scale', 'transfers'],
  hafas: ['amount', 'dTZOffset', 'aTZOffset', 'locX', 'prodX', 'oprX', 'cls', 'chg'],
};

test.each(Object.keys(numbers) as Id[])('%s: numbers that are texts are the same numbers', (id) => {
  const changed = withFields(shapes[id].answer, (name, value) =>
    numbers[id]?.includes(name) && typeof value === 'number' ? String(value) : value,
  );
  expect(changed).not.toEqual(shapes[id].answer);
  expect(readAnswer(id, changed)).toEqual(plain(id));
});

test.each<[id: Id, name: string]>([
  ['renfe', 'cdgoTren'],
  ['ouigo', 'service_name'],
  ['ouigo', '_u_i_c_station_code'],
  ['osdm', 'vehicleNumbers'],
  ['hafas', 'nameS'],
])('%s: texts that are numbers (%s) are the same texts, or as if absent', (id, name) => {
  const changed = withFields(shapes[id].answer, (field, value) => {
    if (field !== name) return value;
    return Array.isArray(value) ? value.map(Number) : Number(value);
  });
  expect(readAnswer(id, changed)).toEqual(plain(id));
});

/** Answers of one journey, whose lists have one element. */
const firsts: Readonly<Partial<Record<Id, (answer: never) => unknown>>> = {
  renfe: (answer: { listadoTrenes: { listviajeViewEnlaceBean: unknown[] }[] }) => ({
    listadoTrenes: answer.listadoTrenes.slice(0, 1).map((list) => ({
      ...list,
      listviajeViewEnlaceBean: list.listviajeViewEnlaceBean.slice(0, 1),
    })),
  }),
  ouigo: (answer: { outbound: unknown[] }) => ({
    ...answer,
    outbound: answer.outbound.slice(0, 1),
  }),
  avlo: (answer: unknown[]) => answer.slice(0, 1),
  osdm: (answer: {
    trips: { id: string }[];
    offers: { tripCoverage: { coveredTripId: string } }[];
  }) => {
    const [trip] = answer.trips;
    const own = answer.offers.filter(({ tripCoverage }) => tripCoverage.coveredTripId === trip?.id);
    return { trips: [trip], offers: own.slice(0, 1) };
  },
  hafas: (answer: { svcResL: { res: { outConL: { trfRes?: unknown }[] } }[] }) => {
    const [service] = answer.svcResL;
    const priced = service?.res.outConL.filter(({ trfRes }) => trfRes !== undefined);
    return {
      ...answer,
      svcResL: [{ ...service, res: { ...service?.res, outConL: priced?.slice(0, 1) } }],
    };
  },
};

test.each(Object.keys(firsts) as Id[])(
  '%s: one element in place of a list is a list of one',
  (id) => {
    const first = firsts[id]?.(shapes[id].answer as never);
    const whole = readAnswer(id, first);
    expect(whole.journeys).toHaveLength(1);
    expect(withoutLists(first)).not.toEqual(first);
    expect(readAnswer(id, withoutLists(first))).toEqual(whole);
  },
);

test.each<[id: Id, name: string]>([
  ['renfe', 'tarifasDisponibles'],
  ['ouigo', 'packages'],
  ['osdm', 'offers'],
  ['hafas', 'fareSetL'],
  ['navitia', 'disruptions'],
])('%s: a list that is null (%s) has nothing in it', (id, name) => {
  const changed = withFields(shapes[id].answer, (field, value) => (field === name ? null : value));
  expect(timesOf(readAnswer(id, changed))).toEqual(timesOf(plain(id)));
});

test.each<[id: Id, name: string]>([
  ['renfe', 'horaSalida'],
  ['ouigo', 'departure_timestamp'],
  ['osdm', 'timetabledTime'],
  ['hafas', 'dTimeS'],
  ['ojp', 'TimetabledTime'],
])(
  '%s: without what a journey cannot be shown (%s) it is left out, and no others are',
  (id, name) => {
    const { answer } = shapes[id];
    let at = 0;
    const isFirst = (): boolean => at++ === 0;
    const changed =
      typeof answer === 'string'
        ? answer.replace(
            new RegExp(`<(${name})>[^<]*</${name}>(?:<EstimatedTime>[^<]*</EstimatedTime>)?`),
            '',
          )
        : withFields(answer, (field, value) => (field === name && isFirst() ? null : value));
    // The answer may have another time of the same train, as Renfe's and that of a late train is.
    const without =
      typeof changed === 'string'
        ? changed
        : withFields(changed, (field, value) =>
            ['dTimeR', 'estimatedTime'].includes(field) ? null : value,
          );
    const { journeys, filtered = 0, leftOut = {} } = readAnswer(id, without);
    const isTwice = id === 'renfe';
    expect(journeys.length + filtered).toBe(plain(id).journeys.length);
    expect(filtered).toBe(isTwice ? 0 : 1);
    expect(Object.keys(leftOut)).toHaveLength(isTwice ? 0 : 1);
  },
);

const opaque = (length: number): string =>
  `A=1@O=Éx "y" /?&p= `
    .repeat(40)
    .slice(0, length - 1)
    .padEnd(length, 'z');
const references: Readonly<Partial<Record<Id, string>>> = {
  renfe: 'cdgoEstacionDestinoTrayecto',
  ouigo: '_u_i_c_station_code',
  osdm: 'stopPlaceRef',
  hafas: 'extId',
  ojp: 'siri:StopPointRef',
};

/** The answer with that reference in place of the last one of its kind, wherever it is written. */
function withReference(id: Id, reference: string): unknown {
  const { answer } = shapes[id];
  const name = references[id] ?? '';
  const of = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);
  let last: unknown;
  withFields(answer, (field, value) => {
    if (field === name) last = of(value) ?? last;
    return value;
  });
  if (typeof answer !== 'string') {
    return withFields(answer, (field, value) => {
      if (field === 'globalIdL' || field === 'lid') return undefined;
      return field === name && value === last ? reference : value;
    });
  }
  const [, found = ''] = [...answer.matchAll(new RegExp(`<${name}>([^<]*)`, 'g'))].at(-1) ?? [];
  const escaped = reference.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return answer
    .replaceAll(`<${name}>${found}<`, `<${name}>${escaped}<`)
    .replaceAll(/<ParentRef>\d+<\/ParentRef>/g, '');
}

test.each(Object.keys(references) as Id[])(
  '%s: a reference of 512 characters, whatever they are, is a place; a longer one is left out',
  (id) => {
    const [most, more] = [512, 513].map((length) =>
      readAnswer(id, withReference(id, opaque(length))),
    );
    expect(most?.filtered).toBeUndefined();
    expect(most?.journeys).toHaveLength(plain(id).journeys.length);
    const places = most?.places ?? [];
    const own = places.filter((place) => place.id.endsWith(opaque(512).trim()));
    expect(own).toHaveLength(1);
    expect(own[0]?.name.length).toBeLessThanOrEqual(500);
    expect(more?.filtered).toBeGreaterThan(0);
  },
);

test.each(Object.keys(references) as Id[])(
  '%s: an answer whose journeys are all left out is an answer, which counts them by their reason',
  (id) => {
    const { answer } = shapes[id];
    const name = references[id] ?? '';
    const long = 'x'.repeat(513);
    const changed =
      typeof answer === 'string'
        ? answer
            .replaceAll(new RegExp(`(<${name}>)[^<]*`, 'g'), `$1${long}`)
            .replaceAll(/<ParentRef>\d+<\/ParentRef>/g, '')
        : withFields(answer, (field, value) => {
            if (field === 'globalIdL' || field === 'lid') return undefined;
            return field === name && typeof value === 'string' ? long : value;
          });
    const { journeys, filtered, leftOut } = readAnswer(id, changed);
    expect(journeys).toEqual([]);
    expect(filtered).toBe(plain(id).journeys.length);
    expect(leftOut).toEqual({ 'with a code of more than 512 characters': filtered });
  },
);

test('avlo: rows of stations that the table lacks, whatever their ids, are other trains', () => {
  const rows = shapes.avlo.answer as object[];
  const others = [
    { ...rows[0], origin: opaque(512) },
    { ...rows[0], destination: 'x'.repeat(9999) },
  ];
  expect(readAnswer('avlo', [...others, ...rows])).toEqual(plain('avlo'));
});

const hafas = (svcResL: readonly object[], err: string | undefined = 'OK') =>
  JSON.stringify({ ver: '1.45', err, svcResL });
const ojp = (service: string, delivery?: string) =>
  `<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri"><OJPResponse><siri:ServiceDelivery>${service}${delivery === undefined ? '' : `<OJPTripDelivery>${delivery}</OJPTripDelivery>`}</siri:ServiceDelivery></OJPResponse></OJP>`;
const condition = (inside: string) => `<siri:ErrorCondition>${inside}</siri:ErrorCondition>`;
const renfe = (value: object) => shapes.renfe.text(value);
const exception = (value: object) => renfe(value).replace('handleCallback', 'handleException');
const list = (change: object) =>
  renfe({ listadoTrenes: [{ viajeIda: true, listviajeViewEnlaceBean: null, ...change }] });
const found = { meth: 'TripSearch', err: 'OK', res: { common: {}, outConL: [] } };
const unavailable = { type: 'about:blank', title: 'Not now', status: 503, code: 'AWAY' };

test.each<[id: Id, level: string, text: string, code: string]>([
  ['hafas', 'the envelope', hafas([], 'AUTH'), 'AUTH'],
  ['hafas', 'the envelope, beside an answer', hafas([found], 'PARSE'), 'BAD_REQUEST'],
  ['hafas', 'the method', hafas([{ meth: 'TripSearch', err: 'H890' }]), 'NO_RESULTS'],
  [
    'hafas',
    'the method, behind another',
    hafas([
      { meth: 'ServerInfo', err: 'OK', res: {} },
      { meth: 'TripSearch', err: 'H9360' },
    ]),
    'DATE_OUT_OF_RANGE',
  ],
  [
    'hafas',
    'another method, which alone is answered',
    hafas([{ meth: 'ServerInfo', err: 'AUTH' }]),
    'AUTH',
  ],
  [
    'hafas',
    'no method that was asked',
    hafas([{ meth: 'ServerInfo', err: 'OK', res: {} }]),
    'PROTOCOL',
  ],
  ['hafas', 'a method without a name', hafas([{ err: 'H_AWAY' }]), 'UPSTREAM'],
  ['ojp', 'the service', ojp(condition('<siri:AccessNotAllowedError/>')), 'AUTH'],
  [
    'ojp',
    'the delivery',
    ojp(
      '',
      condition('<OJPError><TripProblemType>TRIP_DATEOUTOFRANGE</TripProblemType></OJPError>'),
    ),
    'DATE_OUT_OF_RANGE',
  ],
  [
    'ojp',
    'a result',
    ojp('', '<TripResult><Problem><Type>TRIP_ORIGINUNKNOWN</Type></Problem></TripResult>'),
    'NOT_SERVED',
  ],
  [
    'ojp',
    'a description',
    ojp('', condition('<siri:OtherError/><siri:Description>TRIP_NOTRIPFOUND</siri:Description>')),
    'NO_RESULTS',
  ],
  [
    'ojp',
    'a text that is no code',
    ojp('', condition('<siri:OtherError/><siri:Description>Try later</siri:Description>')),
    'UPSTREAM',
  ],
  [
    'navitia',
    'the answer',
    JSON.stringify({ error: { id: 'date_out_of_bounds', message: 'no' }, journeys: [] }),
    'DATE_OUT_OF_RANGE',
  ],
  ['navitia', 'an id that is not known', JSON.stringify({ error: { id: 'busy' } }), 'UPSTREAM'],
  ['navitia', 'a text in place of an error', JSON.stringify({ error: 'busy' }), 'UPSTREAM'],
  ['navitia', 'no error and no list', JSON.stringify({ context: {} }), 'PROTOCOL'],
  ['ojp', 'a status alone', ojp('', '<siri:Status>false</siri:Status>'), 'PROTOCOL'],
  [
    'osdm',
    'a list of problems',
    JSON.stringify({ problems: [unavailable], trips: [], offers: [] }),
    'OVERLOADED',
  ],
  [
    'osdm',
    'one problem in place of a list',
    JSON.stringify({ problems: unavailable, trips: null, offers: null }),
    'OVERLOADED',
  ],
  ['osdm', 'the whole answer', JSON.stringify(unavailable), 'OVERLOADED'],
  [
    'osdm',
    'the whole answer, by its code',
    JSON.stringify({ title: 'None', code: 'NO_TRIP_FOUND' }),
    'NO_RESULTS',
  ],
  [
    'osdm',
    'a problem that says nothing',
    JSON.stringify({ problems: [{ title: 'Oops' }], offers: [] }),
    'UPSTREAM',
  ],
  ['renfe', 'an exception', exception({ cdgoError: 'U014' }), 'RATE_LIMITED'],
  [
    'renfe',
    'an exception without a code',
    exception({ javaClassName: 'java.lang.Throwable' }),
    'UPSTREAM',
  ],
  ['renfe', 'a list', list({ hayError: true }), 'UPSTREAM'],
  [
    'renfe',
    'a list, as a text',
    list({ hayError: 'true', mensajeListaTrenVacia: 'No' }),
    'UPSTREAM',
  ],
  ['renfe', 'a list, by its code', list({ cdgoError: 'U003' }), 'DATE_OUT_OF_RANGE'],
  ['renfe', 'the reply', renfe({ cdgoError: 'U014', listadoTrenes: null }), 'RATE_LIMITED'],
  ['renfe', 'the reply, without lists', renfe({ hayError: true }), 'UPSTREAM'],
  [
    'ouigo',
    'the answer',
    JSON.stringify({ outbound: null, error: { code: 'NO_ROUTE' } }),
    'NOT_SERVED',
  ],
  [
    'ouigo',
    'the answer, beside trains',
    JSON.stringify({ outbound: [], error: { code: 'TOO_MANY_REQUESTS' } }),
    'RATE_LIMITED',
  ],
  ['ouigo', 'a text', JSON.stringify({ outbound: null, error: 'Try later' }), 'UPSTREAM'],
  [
    'ouigo',
    'a list of errors',
    JSON.stringify({ outbound: [], errors: [{ code: 'DATE_NOT_ON_SALE' }] }),
    'DATE_OUT_OF_RANGE',
  ],
  ['ouigo', 'the whole answer', JSON.stringify({ code: 'AWAY', message: 'Away' }), 'UPSTREAM'],
  ['avlo', 'the answer', JSON.stringify({ error: { message: 'Away' } }), 'UPSTREAM'],
  ['avlo', 'the answer, as a text', JSON.stringify({ error: 'Away' }), 'UPSTREAM'],
])(
  '%s: an error at the level of %s is an error, in an answer with status 200',
  async (id, _level, text, code) => {
    const error = await failureOf(() => readText(id, text));
    expect(error.code).toBe(code);
    expect(error.message.length).toBeLessThan(700);
  },
);

test('hafas: fares whose search failed are none, and the trains stay', () => {
  const changed = withFields(shapes.hafas.answer, (name, value) =>
    name === 'statusCode' ? 'ERROR' : value,
  );
  const read = readAnswer('hafas', changed);
  expect(timesOf(read)).toEqual(timesOf(plain('hafas')));
  expect(read.journeys.flatMap(({ offers }) => offers)).toEqual([]);
});

test('hafas: a section of an unknown kind is a way on foot, one by another vehicle leaves its journey out', () => {
  const sections = (kind: string) =>
    withFields(shapes.hafas.answer, (name, value) => {
      if (name !== 'secL' || !Array.isArray(value)) return value;
      const { arr } = value.at(-1) as { arr: { aTimeS: string; aTZOffset: number } };
      const { aTimeS: dTimeS, aTZOffset: dTZOffset } = arr;
      return [...value, { type: kind, dep: { ...arr, dTimeS, dTZOffset }, arr }];
    });
  const walked = readAnswer('hafas', sections('HOVER'));
  expect(walked.filtered).toBeUndefined();
  expect(timesOf(walked)).toEqual(timesOf(plain('hafas')));
  const parked = readAnswer('hafas', sections('PARK'));
  expect(parked).toMatchObject({ journeys: [], filtered: plain('hafas').journeys.length });
});
