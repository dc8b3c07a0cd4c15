import type { StopTimeTable } from '../feed/feed.ts';
import type { LeftOut } from '../files/left-out.ts';
import type { StopTimeRows } from '../reader/read-stop-times.ts';

const FILE = 'stop_times.txt';

/** Stop times of trips in order, and the first row of each trip. */
export interface OrderedStopTimes extends StopTimeTable {
  readonly firstRows: Int32Array;
}

/**
 * Puts stop times in the order of trips and sequences, whatever their order in the file. Times that a stop lacks lie evenly between those
 * around it. A trip that cannot be ridden has no rows: its rows are counted.
 */
export function buildStopTimes(
  rows: StopTimeRows,
  tripCount: number,
  leftOut: LeftOut,
): OrderedStopTimes {
  const order = orderOf(rows, tripCount);
  const [stops, flags] = [rows.stops.values(), rows.flags.values()];
  const [arrivals, departures] = [rows.arrivals.values(), rows.departures.values()];
  const length = rows.trips.length;
  const table = {
    stops: new Int32Array(length),
    arrivals: new Int32Array(length),
    departures: new Int32Array(length),
    flags: new Uint8Array(length),
  };
  const firstRows = new Int32Array(tripCount + 1);
  let next = 0;
  for (let trip = 0; trip < tripCount; trip++) {
    const first = next;
    firstRows[trip] = first;
    const [from, until] = [order.firsts[trip] as number, order.firsts[trip + 1] as number];
    for (let at = from; at < until; at++) {
      const row = order.rows[at] as number;
      table.stops[next] = stops[row] as number;
      table.arrivals[next] = arrivals[row] as number;
      table.departures[next] = departures[row] as number;
      table.flags[next++] = flags[row] as number;
    }
    const reason = until === from ? undefined : repairTrip(table, first, next);
    if (reason !== undefined) {
      leftOut.count(FILE, reason, until - from);
      next = first;
    }
  }
  firstRows[tripCount] = next;
  return {
    firstRows,
    stops: table.stops.slice(0, next),
    arrivals: table.arrivals.slice(0, next),
    departures: table.departures.slice(0, next),
    flags: table.flags.slice(0, next),
  };
}

interface Order {
  readonly rows: Int32Array;
  readonly firsts: Int32Array;
}

/** Returns the rows by trip, then by sequence: two passes, and a sort of the trips that are out of order. */
function orderOf(
  { trips: tripColumn, sequences: sequenceColumn }: StopTimeRows,
  tripCount: number,
): Order {
  const trips = tripColumn.values();
  const sequences = sequenceColumn.values();
  const firsts = new Int32Array(tripCount + 1);
  for (const trip of trips) firsts[trip + 1] = (firsts[trip + 1] as number) + 1;
  for (let trip = 0; trip < tripCount; trip++) {
    firsts[trip + 1] = (firsts[trip + 1] as number) + (firsts[trip] as number);
  }
  const ends = firsts.slice(0, tripCount);
  const rows = new Int32Array(trips.length);
  for (let row = 0; row < trips.length; row++) {
    const trip = trips[row] as number;
    const at = ends[trip] as number;
    rows[at] = row;
    ends[trip] = at + 1;
  }
  const sequenceOf = (row: number): number => sequences[row] as number;
  for (let trip = 0; trip < tripCount; trip++) {
    const ofTrip = rows.subarray(firsts[trip] as number, firsts[trip + 1] as number);
    const isOrdered = ofTrip.every(
      (row, at) => at === 0 || sequenceOf(ofTrip[at - 1] as number) <= sequenceOf(row),
    );
    if (!isOrdered)
      ofTrip.set(Array.from(ofTrip).sort((a, b) => sequenceOf(a) - sequenceOf(b) || a - b));
  }
  return { rows, firsts };
}

type Times = Pick<StopTimeTable, 'arrivals' | 'departures'>;

/** Fills the times that are missing. Returns the reason why the trip cannot be ridden, if it cannot. */
function repairTrip(times: Times, first: number, end: number): string | undefined {
  const { arrivals, departures } = times;
  if (end - first < 2) return 'of trips with one stop';
  if ((departures[first] as number) < 0 || (arrivals[end - 1] as number) < 0) {
    return 'of trips without a first or a last time';
  }
  fillTimes(times, first, end);
  for (let row = first; row < end; row++) {
    const before = row === first ? Number.NEGATIVE_INFINITY : (departures[row - 1] as number);
    const isAfter = (arrivals[row] as number) >= before;
    if (!isAfter || (departures[row] as number) < (arrivals[row] as number)) {
      return 'of trips whose times go back';
    }
  }
  return undefined;
}

function fillTimes({ arrivals, departures }: Times, first: number, end: number): void {
  let known = first;
  for (let row = first + 1; row < end; row++) {
    if ((arrivals[row] as number) < 0) continue;
    const start = departures[known] as number;
    const step = ((arrivals[row] as number) - start) / (row - known);
    for (let between = known + 1; between < row; between++) {
      const time = Math.round(start + step * (between - known));
      arrivals[between] = time;
      departures[between] = time;
    }
    known = row;
  }
}
