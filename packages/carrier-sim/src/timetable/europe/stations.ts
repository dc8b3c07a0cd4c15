import type { SimStation } from '../sim-station.ts';

/** Latitude and longitude in degrees. */
type Position = readonly [latitude: number, longitude: number];

type ZoneOf = (
  uic: string,
  name: string,
  position: Position,
  codes?: Pick<SimStation, 'ibnr' | 'renfeCode'>,
) => SimStation;

const stationsIn =
  (country: string, zone: SimStation['zone']): ZoneOf =>
  (uic, name, [latitude, longitude], codes = {}) => ({
    uic,
    name,
    zone,
    country,
    latitude,
    longitude,
    ...codes,
  });

const french = stationsIn('FR', 'Europe/Paris');
const british = stationsIn('GB', 'Europe/London');
const italian = stationsIn('IT', 'Europe/Rome');
const austrian = stationsIn('AT', 'Europe/Vienna');
const german = stationsIn('DE', 'Europe/Berlin');
// In Switzerland the IBNR is the UIC code.
const swiss: ZoneOf = (uic, name, position) =>
  stationsIn('CH', 'Europe/Zurich')(uic, name, position, { ibnr: uic });

/**
 * Every station of the network beyond the Spanish one; Lyon Part-Dieu belongs to both. Codes and positions are from the real
 * stations; an IBNR is another number than a UIC code, although both have seven digits.
 */
export const europeanStations: readonly SimStation[] = [
  french('8768600', 'Paris Gare de Lyon', [48.8449, 2.3735], { ibnr: '8700012' }),
  french('8727100', 'Paris Nord', [48.8802, 2.3552], { ibnr: '8700014' }),
  french('8711300', 'Paris Est', [48.8767, 2.3584], { ibnr: '8700011' }),
  french('8772319', 'Lyon Part-Dieu', [45.7606, 4.8594], { ibnr: '8700152', renfeCode: '87303' }),
  french('8774100', 'Chambéry Challes-les-Eaux', [45.5713, 5.9195], { ibnr: '8700055' }),
  french('8771304', 'Dijon Ville', [47.3234, 5.0272], { ibnr: '8700021' }),
  french('8721202', 'Strasbourg', [48.585, 7.7346], { ibnr: '8700023' }),
  french('8722326', 'Lille Europe', [50.6392, 3.0758], { ibnr: '8704949' }),
  british('7015400', 'London St Pancras International', [51.5319, -0.1264], { ibnr: '7004428' }),
  swiss('8500010', 'Basel SBB', [47.5471, 7.5892]),
  swiss('8503000', 'Zürich HB', [47.3782, 8.5392]),
  swiss('8507000', 'Bern', [46.9491, 7.4385]),
  swiss('8501609', 'Brig', [46.3194, 7.9881]),
  swiss('8505004', 'Arth-Goldau', [47.0492, 8.5495]),
  swiss('8505300', 'Lugano', [46.0055, 8.9469]),
  swiss('8501120', 'Lausanne', [46.5167, 6.6291]),
  swiss('8501008', 'Genève', [46.2102, 6.1424]),
  italian('8301700', 'Milano Centrale', [45.4871, 9.2048], { ibnr: '8300046' }),
  italian('8300035', 'Torino Porta Susa', [45.0718, 7.6652], { ibnr: '8300522' }),
  italian('8301003', 'Domodossola', [46.1155, 8.2967], { ibnr: '8300057' }),
  austrian('8101003', 'Wien Hbf', [48.1849, 16.3759], { ibnr: '8103000' }),
  austrian('8101114', 'Salzburg Hbf', [47.813, 13.0458], { ibnr: '8100002' }),
  austrian('8101187', 'Innsbruck Hbf', [47.2633, 11.401], { ibnr: '8100108' }),
  german('8020347', 'München Hbf', [48.1402, 11.5583], { ibnr: '8000261' }),
  german('8029034', 'Stuttgart Hbf', [48.7841, 9.1816], { ibnr: '8000096' }),
  german('8014228', 'Karlsruhe Hbf', [48.9935, 8.4018], { ibnr: '8000191' }),
  german('8014350', 'Freiburg (Breisgau) Hbf', [47.9977, 7.8416], { ibnr: '8000107' }),
  german('8011068', 'Frankfurt (Main) Hbf', [50.1071, 8.6638], { ibnr: '8000105' }),
];

/** Returns a UIC code with its check digit: Luhn's, over the last five digits. */
export function uic8Of(uic: string): string {
  const sum = [...uic.slice(2)].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${uic}${(10 - (sum % 10)) % 10}`;
}

/** Returns the Swiss location ID of a station, `ch:1:sloid:3000`; abroad there is none. */
export function sloidOf(uic: string): string | undefined {
  return uic.startsWith('85') ? `ch:1:sloid:${Number(uic.slice(2))}` : undefined;
}
