// `NIGHT_URL=http://… AVLO_URL=http://… npm start 2026-12-01`
import { stationTable } from '@ticketing/carriers';
import { formatMoney } from '@ticketing/core';
import { createTrainSearch } from './search.ts';

const { NIGHT_URL, AVLO_URL } = process.env;
const origin = stationTable.byId('uic:7160000');
const destination = stationTable.byId('uic:7171801');
if (NIGHT_URL === undefined || AVLO_URL === undefined || !origin || !destination) {
  throw new Error('Cannot search: NIGHT_URL and AVLO_URL must be set');
}
await using trains = createTrainSearch({ night: NIGHT_URL, avlo: AVLO_URL });
const date = process.argv[2] ?? new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const { journeys, carriers, complete } = await trains.search({ origin, destination, date });
for (const { departure, arrival, sources, offers } of journeys) {
  const [cheapest] = offers;
  const price = cheapest === undefined ? 'sold out' : formatMoney(cheapest.total);
  console.log(departure.iso.slice(0, 16), arrival.iso.slice(0, 16), sources.join(), price);
}
for (const { carrier, state, error } of carriers) console.log(carrier, state, error?.code ?? '');
if (!complete) process.exitCode = 1;
