import { localTimeAt } from '../timetable/local-clock.ts';
import { stationOf } from '../timetable/network.ts';
import type { Train } from '../timetable/train.ts';

/** Writes the body with which Ouigo answers a search: JSON with prices as euros for one person. */
export function encodeOuigo(trains: readonly Train[]): string {
  return JSON.stringify({ outbound: trains.map(encodeTrain), error: null });
}

function encodeTrain(train: Train): object {
  const fare = train.fares.find(({ seller }) => seller === 'ouigo');
  const origin = stationOf(train.origin);
  const destination = stationOf(train.destination);
  return {
    price: fare ? fare.cents / 100 : null,
    full: !fare,
    remaining_seats: fare ? train.seatsLeft : 0,
    departure_station: {
      _u_i_c_station_code: origin.uic,
      name: origin.name,
      departure_timestamp: localTimeAt(train.departureMs, origin.zone).timestamp,
    },
    arrival_station: {
      _u_i_c_station_code: destination.uic,
      name: destination.name,
      arrival_timestamp: localTimeAt(train.arrivalMs, destination.zone).timestamp,
    },
    train_number: train.number,
  };
}
