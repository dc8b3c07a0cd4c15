import type { Fare, Operator, PricedRide } from './fare.ts';
import type { Random } from './random.ts';
import type { SpanishBrand } from './spanish-brands.ts';

/** A line of one carrier: trains run both ways between any two of its stops. */
interface Line {
  readonly brand: SpanishBrand;
  readonly trainsPerDay: number;
  /** Running minutes from the first stop, by UIC code. */
  readonly stops: Readonly<Record<string, number>>;
}

/** A carrier of the Spanish network: what it runs, and what it asks. */
export interface SpanishCarrier {
  readonly network: 'spain';
  readonly operator: Operator;
  /** A pair of stations belongs to the first line with both. */
  readonly lines: readonly Line[];
  /** Returns the fares of a ride that is not sold out, cheapest first. */
  readonly fares: (ride: PricedRide, random: Random) => readonly Fare[];
}

const atocha = '7160000';
const chamartin = '7117000';
const barcelona = '7171801';
const zaragoza = '7104040';
const tarragona = '7104104';
const girona = '7179300';
const figueres = '7104307';
const valencia = '7103216';
const alicante = '7160911';
const albacete = '7160600';
const cuenca = '7103208';
const cordoba = '7150500';
const sevilla = '7151003';
const malaga = '7154413';
const ciudadReal = '7137200';
const segovia = '7108004';
const valladolid = '7110600';
const burgos = '7111014';
const vitoria = '7111208';
const ourense = '7122100';
const caceres = '7135400';
const badajoz = '7137606';
const perpignan = '8778400';
const narbonne = '8778110';
const montpellier = '8777300';

// The main lines come first: the first line with both stations serves a pair.
const renfeLines: readonly Line[] = [
  {
    brand: 'AVE',
    trainsPerDay: 12,
    stops: {
      [atocha]: 0,
      [zaragoza]: 75,
      '7178400': 120,
      [tarragona]: 135,
      [barcelona]: 150,
      [girona]: 195,
      [figueres]: 212,
    },
  },
  {
    brand: 'AVE',
    trainsPerDay: 9,
    stops: { [atocha]: 0, [ciudadReal]: 52, [cordoba]: 103, [sevilla]: 152 },
  },
  {
    brand: 'AVE',
    trainsPerDay: 8,
    stops: { [atocha]: 0, [ciudadReal]: 52, [cordoba]: 103, [malaga]: 165 },
  },
  { brand: 'AVE', trainsPerDay: 4, stops: { [atocha]: 0, [cordoba]: 103, '7105000': 210 } },
  { brand: 'AVE', trainsPerDay: 8, stops: { [atocha]: 0, '7192102': 33 } },
  { brand: 'AVE', trainsPerDay: 9, stops: { [chamartin]: 0, [cuenca]: 57, [valencia]: 112 } },
  {
    brand: 'AVE',
    trainsPerDay: 7,
    stops: { [chamartin]: 0, [cuenca]: 57, [albacete]: 95, [alicante]: 146 },
  },
  { brand: 'AVE', trainsPerDay: 4, stops: { [chamartin]: 0, [albacete]: 95, '7161200': 165 } },
  {
    brand: 'AVE',
    trainsPerDay: 7,
    stops: { [chamartin]: 0, [segovia]: 28, [valladolid]: 60, [burgos]: 95 },
  },
  {
    brand: 'AVE',
    trainsPerDay: 5,
    stops: {
      [chamartin]: 0,
      [segovia]: 28,
      [valladolid]: 60,
      '7115100': 126,
      '7115211': 190,
      '7115410': 218,
    },
  },
  {
    brand: 'AVE',
    trainsPerDay: 6,
    stops: { [chamartin]: 0, [ourense]: 137, '7131400': 182, '7131412': 211 },
  },
  { brand: 'ALVIA', trainsPerDay: 4, stops: { [chamartin]: 0, [ourense]: 137, '7108223': 245 } },
  { brand: 'ALVIA', trainsPerDay: 3, stops: { [chamartin]: 0, [valladolid]: 62, '7114223': 250 } },
  {
    brand: 'ALVIA',
    trainsPerDay: 3,
    stops: { [chamartin]: 0, [valladolid]: 62, [burgos]: 98, '7113200': 290 },
  },
  {
    brand: 'ALVIA',
    trainsPerDay: 3,
    stops: { [chamartin]: 0, [burgos]: 98, [vitoria]: 215, '7111511': 325 },
  },
  {
    brand: 'ALVIA',
    trainsPerDay: 6,
    stops: { [barcelona]: 0, [tarragona]: 33, [valencia]: 170, [alicante]: 290 },
  },
  {
    brand: 'ALVIA',
    trainsPerDay: 3,
    stops: { [atocha]: 0, [cordoba]: 108, [sevilla]: 160, '7151405': 255 },
  },
  { brand: 'ALVIA', trainsPerDay: 2, stops: { [atocha]: 0, [cordoba]: 108, '7143019': 228 } },
  { brand: 'ALVIA', trainsPerDay: 2, stops: { [atocha]: 0, '7156312': 372 } },
  { brand: 'ALVIA', trainsPerDay: 4, stops: { [atocha]: 0, '7180100': 190 } },
  { brand: 'ALVIA', trainsPerDay: 2, stops: { [atocha]: 0, '7181100': 205 } },
  { brand: 'ALVIA', trainsPerDay: 4, stops: { [atocha]: 0, [caceres]: 205, [badajoz]: 262 } },
  {
    brand: 'ALVIA',
    trainsPerDay: 2,
    stops: { [atocha]: 0, [caceres]: 215, [badajoz]: 275, '9431039': 545 },
  },
  {
    brand: 'AVE',
    trainsPerDay: 2,
    stops: {
      [barcelona]: 0,
      [girona]: 38,
      [figueres]: 55,
      [perpignan]: 79,
      [narbonne]: 116,
      [montpellier]: 178,
      '8772319': 298,
    },
  },
  {
    brand: 'AVE',
    trainsPerDay: 2,
    stops: {
      [atocha]: 0,
      [zaragoza]: 80,
      [barcelona]: 165,
      [perpignan]: 255,
      [narbonne]: 292,
      [montpellier]: 355,
      '8775100': 475,
    },
  },
];

const avloLines: readonly Line[] = [
  { brand: 'AVLO', trainsPerDay: 4, stops: { [atocha]: 0, [zaragoza]: 80 } },
  { brand: 'AVLO', trainsPerDay: 6, stops: { [atocha]: 0, [barcelona]: 160 } },
  { brand: 'AVLO', trainsPerDay: 4, stops: { [zaragoza]: 0, [barcelona]: 85 } },
  { brand: 'AVLO', trainsPerDay: 3, stops: { [atocha]: 0, [tarragona]: 145 } },
  { brand: 'AVLO', trainsPerDay: 5, stops: { [chamartin]: 0, [valencia]: 115 } },
  { brand: 'AVLO', trainsPerDay: 4, stops: { [chamartin]: 0, [alicante]: 150 } },
  { brand: 'AVLO', trainsPerDay: 3, stops: { [atocha]: 0, [cordoba]: 110 } },
  { brand: 'AVLO', trainsPerDay: 4, stops: { [atocha]: 0, [sevilla]: 160 } },
  { brand: 'AVLO', trainsPerDay: 4, stops: { [atocha]: 0, [malaga]: 175 } },
  { brand: 'AVLO', trainsPerDay: 3, stops: { [chamartin]: 0, [valladolid]: 65 } },
];

const ouigoLines: readonly Line[] = [
  {
    brand: 'OUIGO',
    trainsPerDay: 8,
    stops: { [atocha]: 0, [zaragoza]: 80, [tarragona]: 130, [barcelona]: 155 },
  },
  { brand: 'OUIGO', trainsPerDay: 4, stops: { [atocha]: 0, [cordoba]: 110, [sevilla]: 165 } },
  { brand: 'OUIGO', trainsPerDay: 4, stops: { [atocha]: 0, [cordoba]: 110, [malaga]: 180 } },
  { brand: 'OUIGO', trainsPerDay: 5, stops: { [chamartin]: 0, [valencia]: 117 } },
  { brand: 'OUIGO', trainsPerDay: 4, stops: { [chamartin]: 0, [albacete]: 98, [alicante]: 152 } },
  { brand: 'OUIGO', trainsPerDay: 4, stops: { [chamartin]: 0, [valladolid]: 66 } },
];

/** Every {@link SpanishCarrier}. */
export const spanishCarriers: {
  readonly renfe: SpanishCarrier;
  readonly ouigo: SpanishCarrier;
  readonly avlo: SpanishCarrier;
} = {
  renfe: { network: 'spain', operator: 'renfe', lines: renfeLines, fares: renfeFares },
  ouigo: {
    network: 'spain',
    operator: 'ouigo',
    lines: ouigoLines,
    fares: oneFare('OUIGO', [0, 0, 90]),
  },
  avlo: {
    network: 'spain',
    operator: 'renfe',
    lines: avloLines,
    fares: oneFare('AVLO', [0, 0, 49, 99]),
  },
};

/** Returns fares of one price that depends on the length of the ride; `endings` are cents. */
function oneFare(code: string, endings: readonly [number, ...number[]]): SpanishCarrier['fares'] {
  return ({ minutes }, random) => {
    const euros = Math.round(7 + minutes * (0.06 + random.next() * 0.3));
    return [{ code, name: code, cents: euros * 100 + random.pick(endings) }];
  };
}

function renfeFares({ minutes, seatsLeft, brands }: PricedRide, random: Random): readonly Fare[] {
  const basic = 5 * Math.round(minutes * (2 + random.next() * 6));
  // The last seats of the best class are expensive, so that a price with a thousands separator occurs.
  const premium =
    seatsLeft <= 2 ? 100_000 + 5 * random.below(5000) : basic * 2 + 5 * random.below(900);
  const elige = basic + 5 * (80 + random.below(300));
  const count = random.pick([1, 2, 3, 3, 3]);
  if (brands.includes('AVLO')) {
    return [
      { code: 'LC107', name: 'Básica', cents: basic, travelClass: 'second', flexibility: 'semi' },
    ];
  }
  const fares: readonly Fare[] = [
    { code: 'N1010', name: 'Básico', cents: basic, travelClass: 'second', flexibility: 'semi' },
    { code: 'N2010', name: 'Elige', cents: elige, travelClass: 'second', flexibility: 'semi' },
    { code: 'N4010', name: 'Prémium', cents: premium, travelClass: 'first', flexibility: 'full' },
  ];
  return fares.slice(0, count);
}
