import {
  describeJourney,
  describeRun,
  type SimPlatform,
  type SimRemark,
  type SimStop,
  shortestChange,
} from '../../timetable/europe/run-details.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';

/** A list of an answer that its parts point into. */
export type HafasList = 'remarks' | 'messages' | 'icons';

/** Returns the place of an entry in its list, which is made when it is new. */
type PlaceOf = (list: HafasList, key: string, make: () => object) => number;

/** Returns where a train leaves (`d`) or arrives (`a`): as a text, or as newer servers write it, as an object. */
function platformFields(
  prefix: 'd' | 'a',
  { planned, expected }: SimPlatform,
  { number }: TrainRun,
): object {
  const isObject = Number(number) % 2 === 0;
  const name = isObject ? 'Pltf' : 'Platf';
  const write = (text: string): unknown => (isObject ? { type: 'PL', txt: text } : text);
  return {
    [`${prefix}${name}S`]: write(planned),
    ...(expected !== undefined && { [`${prefix}${name}R`]: write(expected) }),
  };
}

/** Returns the platforms of both ends of a train. */
export function endFields(run: TrainRun): { readonly d: object; readonly a: object } {
  const { departurePlatform, arrivalPlatform } = describeRun(run);
  return {
    d: platformFields('d', departurePlatform, run),
    a: platformFields('a', arrivalPlatform, run),
  };
}

/** Returns pointers to what is said of a train, and to how it is booked where it runs on demand. */
export function runMessages(run: TrainRun, placeOf: PlaceOf, isOnDemand: boolean): object {
  const pointers = describeRun(run).remarks.map((remark) => pointerTo(remark, placeOf));
  if (isOnDemand) {
    const [txtN] = bookingTexts;
    const remX = placeOf('remarks', 'booking', () => ({ type: 'A', code: bookingCode, txtN }));
    pointers.push({ type: 'REM', remX, sty: 'I', tagL: ['RES_JNY_DTL_H3'] });
  }
  // What is there for programs alone is no remark.
  const remX = placeOf('remarks', 'stop', () => ({ type: 'I', code: 'IF', txtN: 'xx:0:1' }));
  return { msgL: [...pointers, { type: 'REM', remX, sty: 'I' }] };
}

/** The attribute by which a ride on demand is booked. */
export const bookingCode = 'rb';

/** Booking text of every ride on demand. */
const bookingTexts = ['Book by telephone 00 1 234, an hour before'] as const;

/** Returns pointers to what is said of a whole connection. */
export function journeyMessages(train: Train, placeOf: PlaceOf): object {
  const pointers = describeJourney(train).map((remark) => pointerTo(remark, placeOf));
  return pointers.length > 0 ? { msgL: pointers } : {};
}

/** Works are messages of the operator, in HTML; all else is a remark, of a type by what it is. */
function pointerTo({ kind, code, texts }: SimRemark, placeOf: PlaceOf): object {
  const [head, ...more] = texts;
  if (more.length > 0) {
    const text = `${more.join(' ').replaceAll('&', '&amp;')}<br><a href="https://simulated.example">`;
    const himX = placeOf('messages', code, () => ({ hid: code, act: true, head, text, prio: 100 }));
    return { type: 'HIM', himX, sty: 'M', tagL: ['RES_GLB_HDR_H3'] };
  }
  const type = kind === 'info' ? 'A' : code === 'delay' ? 'D' : 'R';
  const icoX = placeOf('icons', type, () => ({ res: type === 'A' ? 'attr_info' : 'Empty' }));
  const remX = placeOf('remarks', code, () => ({ type, code, icoX, txtN: ` ${head} ` }));
  return { type: 'REM', remX, sty: 'I', tagL: ['RES_JNY_DTL'] };
}

/** Writes one end of a train, or a stop on the way. */
type WriteCall = (prefix: 'd' | 'a', uic: string, ms: number) => object;

/** Returns where a train calls: its ends, and the stops between them. */
export function passList(run: TrainRun, write: WriteCall): object {
  const { stops } = describeRun(run);
  const stop = ({ station, arrivalMs, departureMs, platform }: SimStop): object => ({
    ...write('a', station, arrivalMs),
    ...write('d', station, departureMs),
    ...platformFields('a', platform, run),
    ...platformFields('d', platform, run),
  });
  return {
    stopL: [
      write('d', run.origin, run.departureMs),
      ...stops.map(stop),
      write('a', run.destination, run.arrivalMs),
    ],
  };
}

/** Returns the instants of the stops of a train on the way. */
export function instantsBetween(
  run: TrainRun,
): readonly { readonly ms: number; readonly uic: string }[] {
  return describeRun(run).stops.flatMap(({ station, arrivalMs, departureMs }) => [
    { ms: arrivalMs, uic: station },
    { ms: departureMs, uic: station },
  ]);
}

/** Returns the trains that run with another one. `productOf` returns the place of a train's product. */
export function coupledTrains(run: TrainRun, productOf: (run: TrainRun) => number): object {
  const { coupled } = describeRun(run);
  if (coupled.length === 0) return {};
  return { parJnyL: coupled.map((number) => ({ prodX: productOf({ ...run, number }) })) };
}

/** Returns how long the change to the next train takes at least, and how long it is as expected. */
export function changeFields(run: TrainRun, next: TrainRun | undefined): object {
  if (next === undefined) return {};
  const minutes = shortestChange(run, next);
  return { minChg: `00${String(minutes).padStart(2, '0')}00` };
}
