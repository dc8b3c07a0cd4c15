/** Brands of the network beyond the Spanish one. */
export type EuropeanBrand = 'TGV' | 'FR' | 'EST' | 'EC' | 'IC' | 'ICE' | 'RJX' | 'NJ';

/** Companies that run trains there. */
export type EuropeanOperator = 'sncf' | 'trenitalia' | 'eurostar' | 'sbb' | 'oebb' | 'db';

/** The carriers that sell these trains, each in its own wire format. */
export type EuropeanSeller = 'osdm' | 'hafas' | 'ojp' | 'navitia';

/** Local departures at the first stop of a direction, `06:44`, by train number. */
type Departures = Readonly<Record<string, string>>;

/** A line: each train calls at every stop. */
export interface EuropeanLine {
  readonly brand: EuropeanBrand;
  /** The name of the line, where travellers know it by one. */
  readonly name?: string;
  readonly operator: EuropeanOperator;
  readonly sellers: readonly EuropeanSeller[];
  /** Running minutes from the first stop, by UIC code, in order. */
  readonly stops: readonly (readonly [uic: string, minutes: number])[];
  readonly outward: Departures;
  readonly back: Departures;
  /** Stop at which trains of the line get another number while people stay in them. */
  readonly renumbered?: Renumbering;
}

/** A stop at which trains go on under another number. */
export interface Renumbering {
  /** UIC code. */
  readonly at: string;
  /** Difference of the number beyond that stop, seen from the first stop of the line. */
  readonly by: number;
  /** Minutes that trains wait there. */
  readonly minutes: number;
}

const parisLyon = '8768600';
const parisNord = '8727100';
const parisEst = '8711300';
const london = '7015400';
const basel = '8500010';
const zurich = '8503000';
const bern = '8507000';
const brig = '8501609';
const milano = '8301700';
const torino = '8300035';
const lyon = '8772319';
const chambery = '8774100';
const wien = '8101003';
const salzburg = '8101114';
const innsbruck = '8101187';
const munchen = '8020347';
const karlsruhe = '8014228';

/** Every line. Trains leave at fixed minutes; two trains of one pair of stations never leave in the same one. */
// biome-ignore format: one row per direction reads as the timetable that it is
export const europeanLines: readonly EuropeanLine[] = [
  {
    brand: 'TGV',
    operator: 'sncf',
    sellers: ['osdm', 'hafas', 'navitia'],
    stops: [[parisLyon, 0], [lyon, 118], [chambery, 215], [torino, 330], [milano, 425]],
    outward: { 9241: '06:44', 9245: '10:42', 9249: '14:42' },
    back: { 9240: '06:02', 9244: '08:45', 9248: '15:53' },
  },
  {
    brand: 'FR',
    operator: 'trenitalia',
    sellers: ['hafas'],
    stops: [[parisLyon, 0], [lyon, 120], [chambery, 218], [torino, 340], [milano, 408]],
    outward: { 9281: '07:26', 9291: '15:18' },
    back: { 9292: '06:25', 9296: '15:10' },
  },
  {
    brand: 'EC',
    operator: 'sbb',
    sellers: ['osdm', 'ojp'],
    stops: [[basel, 0], [bern, 62], [brig, 126], ['8301003', 157], [milano, 244]],
    outward: { 51: '06:28', 57: '08:28', 59: '12:28', 61: '16:28' },
    back: { 50: '07:20', 52: '11:20', 56: '15:20', 58: '18:20' },
  },
  {
    brand: 'EC',
    operator: 'sbb',
    sellers: ['osdm', 'hafas', 'ojp'],
    stops: [[zurich, 0], ['8505004', 39], ['8505300', 117], [milano, 197]],
    outward: every({ first: '06:33', last: '18:33', minutes: 120, number: 311 }),
    back: every({ first: '07:10', last: '19:10', minutes: 120, number: 310 }),
  },
  {
    brand: 'RJX',
    operator: 'oebb',
    sellers: ['osdm', 'hafas'],
    stops: [[wien, 0], [salzburg, 142], [munchen, 244]],
    outward: every({ first: '06:30', last: '18:30', minutes: 120, number: 60 }),
    back: every({ first: '07:34', last: '19:34', minutes: 120, number: 61 }),
  },
  {
    brand: 'NJ',
    operator: 'oebb',
    sellers: ['osdm', 'hafas'],
    stops: [[wien, 0], [salzburg, 176], [munchen, 411]],
    outward: { 294: '23:19' },
    back: { 295: '23:20' },
  },
  {
    brand: 'NJ',
    operator: 'oebb',
    sellers: ['osdm', 'hafas', 'ojp'],
    stops: [[wien, 0], [salzburg, 170], [innsbruck, 300], [zurich, 653]],
    outward: { 466: '21:27' },
    back: { 467: '21:40' },
  },
  {
    brand: 'RJX',
    operator: 'oebb',
    sellers: ['osdm', 'hafas', 'ojp'],
    stops: [[wien, 0], [salzburg, 142], [innsbruck, 255], [zurich, 470]],
    outward: every({ first: '07:28', last: '15:28', minutes: 120, number: 160 }),
    back: every({ first: '06:40', last: '14:40', minutes: 120, number: 161 }),
  },
  {
    brand: 'IC',
    name: 'IC 1',
    operator: 'sbb',
    sellers: ['osdm', 'ojp'],
    stops: [[zurich, 0], [bern, 56], ['8501120', 122], ['8501008', 164]],
    outward: every({ first: '05:32', last: '22:32', minutes: 60, number: 505 }),
    back: every({ first: '05:12', last: '21:12', minutes: 60, number: 504 }),
  },
  {
    brand: 'IC',
    name: 'IC 8',
    operator: 'sbb',
    sellers: ['osdm', 'ojp'],
    stops: [[zurich, 0], [bern, 56], [brig, 119]],
    outward: every({ first: '06:02', last: '23:02', minutes: 60, number: 708 }),
    back: every({ first: '05:27', last: '21:27', minutes: 60, number: 709 }),
  },
  {
    brand: 'TGV',
    operator: 'sncf',
    sellers: ['osdm', 'ojp', 'navitia'],
    stops: [[parisLyon, 0], ['8771304', 95], [basel, 183], [zurich, 244]],
    renumbered: { at: basel, by: 500, minutes: 4 },
    outward: { 9203: '07:20', 9211: '10:20', 9213: '12:20', 9215: '14:20', 9223: '18:20' },
    back: { 9206: '07:34', 9210: '09:34', 9218: '13:34', 9222: '15:34', 9226: '17:34' },
  },
  {
    brand: 'TGV',
    operator: 'sncf',
    sellers: ['osdm', 'navitia'],
    stops: [[parisLyon, 0], ['8501008', 191]],
    outward: { 9761: '06:18', 9765: '10:18', 9773: '14:18', 9777: '18:18' },
    back: { 9760: '06:29', 9764: '10:29', 9768: '14:29', 9780: '18:29' },
  },
  {
    brand: 'EST',
    operator: 'eurostar',
    sellers: ['osdm', 'hafas', 'navitia'],
    stops: [[london, 0], [parisNord, 137]],
    outward: { 9002: '06:01', 9008: '08:01', 9014: '10:24', 9018: '11:31', 9024: '13:31', 9032: '15:31', 9040: '17:31', 9050: '20:01' },
    back: { 9003: '06:13', 9007: '07:42', 9013: '09:12', 9019: '11:12', 9027: '13:03', 9035: '15:12', 9045: '18:03', 9059: '21:10' },
  },
  {
    brand: 'EST',
    operator: 'eurostar',
    sellers: ['osdm', 'navitia'],
    stops: [[london, 0], ['8722326', 82], [parisNord, 150]],
    outward: { 9010: '09:31', 9028: '14:31' },
    back: { 9015: '10:12', 9039: '16:42' },
  },
  {
    brand: 'ICE',
    operator: 'db',
    sellers: ['hafas'],
    stops: [[basel, 0], ['8014350', 43], [karlsruhe, 107], ['8011068', 170]],
    outward: { 74: '07:13', 72: '09:13', 376: '11:13', 278: '15:13', 270: '17:13' },
    back: { 71: '06:50', 73: '08:50', 375: '12:50', 277: '14:50', 279: '16:50' },
  },
  {
    brand: 'EC',
    operator: 'db',
    sellers: ['hafas', 'ojp'],
    stops: [[munchen, 0], [zurich, 211]],
    outward: { 190: '06:55', 192: '08:55', 194: '12:55', 196: '16:55', 198: '18:55' },
    back: { 191: '07:33', 193: '09:33', 195: '13:33', 197: '17:33', 199: '19:33' },
  },
  {
    brand: 'ICE',
    operator: 'db',
    sellers: ['hafas', 'navitia'],
    stops: [[parisEst, 0], ['8721202', 108], [karlsruhe, 150], ['8029034', 190], [munchen, 335]],
    outward: { 9571: '06:55', 9573: '14:55' },
    back: { 9570: '06:25', 9576: '14:25' },
  },
];

/** A walk or a ride on the metro between two stations of a city, in minutes. */
interface Change {
  readonly from: string;
  readonly to: string;
  readonly shortest: number;
  readonly longest: number;
}

const at = (station: string): Change => ({
  from: station,
  to: station,
  shortest: 10,
  longest: 120,
});
const across = (from: string, to: string, shortest: number): readonly Change[] =>
  [[from, to] as const, [to, from] as const].map(([arrival, departure]) => ({
    from: arrival,
    to: departure,
    shortest,
    longest: shortest + 120,
  }));

/** Stations for changing trains; in Paris also from one station to another. */
export const europeanChanges: readonly Change[] = [
  ...[zurich, basel, bern, milano, salzburg, munchen, karlsruhe, lyon].map(at),
  ...across(parisNord, parisLyon, 60),
  ...across(parisEst, parisLyon, 50),
  ...across(parisNord, parisEst, 25),
];

/** Returns departures at equal intervals, with every second number. */
function every({
  first,
  last,
  minutes,
  number,
}: {
  readonly first: string;
  readonly last: string;
  readonly minutes: number;
  readonly number: number;
}): Departures {
  const count = 1 + (minuteOf(last) - minuteOf(first)) / minutes;
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const minute = minuteOf(first) + index * minutes;
      const [hours, rest] = [Math.floor(minute / 60), minute % 60];
      const two = (value: number): string => String(value).padStart(2, '0');
      return [String(number + index * 2), `${two(hours)}:${two(rest)}`];
    }),
  );
}

/** Returns the minute of the day of a text, `06:44`. */
export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
