import { europeanStations } from './europe/stations.ts';
import type { SimStation } from './sim-station.ts';

type SellerCodes = Pick<SimStation, 'ouigoCode' | 'avloId'>;

const spanish = (uic: string, name: string, codes: SellerCodes = {}): SimStation => ({
  uic,
  name,
  zone: 'Europe/Madrid',
  renfeCode: uic.slice(2),
  ...codes,
});
const foreign = (station: Omit<SimStation, keyof SellerCodes>): SimStation => station;

/** Every station of the Spanish network. */
export const stations: readonly SimStation[] = [
  spanish('7160000', 'Madrid Puerta de Atocha-Almudena Grandes', { ouigoCode: 'MAD', avloId: 12 }),
  spanish('7117000', 'Madrid Chamartín-Clara Campoamor', { ouigoCode: 'MAC', avloId: 16 }),
  spanish('7171801', 'Barcelona Sants', { ouigoCode: 'BCN', avloId: 13 }),
  spanish('7104040', 'Zaragoza Delicias', { ouigoCode: 'ZAZ', avloId: 14 }),
  spanish('7104104', 'Camp de Tarragona', { ouigoCode: 'TGN', avloId: 15 }),
  spanish('7178400', 'Lleida Pirineus'),
  spanish('7179300', 'Girona'),
  spanish('7104307', 'Figueres Vilafant'),
  spanish('7103216', 'Valencia Joaquín Sorolla', { ouigoCode: 'VLC', avloId: 17 }),
  spanish('7160911', 'Alicante/Alacant', { ouigoCode: 'ALC', avloId: 18 }),
  spanish('7160600', 'Albacete Los Llanos', { ouigoCode: 'ABC' }),
  spanish('7103208', 'Cuenca Fernando Zóbel'),
  spanish('7150500', 'Córdoba', { ouigoCode: 'COR', avloId: 19 }),
  spanish('7151003', 'Sevilla Santa Justa', { ouigoCode: 'SVQ', avloId: 20 }),
  spanish('7154413', 'Málaga María Zambrano', { ouigoCode: 'AGP', avloId: 21 }),
  spanish('7105000', 'Granada'),
  spanish('7151405', 'Cádiz'),
  spanish('7110600', 'Valladolid Campo Grande', { ouigoCode: 'VLL', avloId: 22 }),
  spanish('7108004', 'Segovia Guiomar'),
  spanish('7115100', 'León'),
  spanish('7115211', 'Oviedo'),
  spanish('7115410', 'Gijón Sanz Crespo'),
  spanish('7114223', 'Santander'),
  spanish('7113200', 'Bilbao Abando'),
  spanish('7111014', 'Burgos Rosa Manzano'),
  spanish('7131412', 'A Coruña'),
  spanish('7131400', 'Santiago de Compostela'),
  spanish('7122100', 'Ourense'),
  spanish('7108223', 'Vigo Urzáiz'),
  spanish('7161200', 'Murcia del Carmen'),
  spanish('7192102', 'Toledo'),
  spanish('7137200', 'Ciudad Real'),
  spanish('7180100', 'Pamplona'),
  spanish('7111511', 'San Sebastián/Donostia'),
  spanish('7135400', 'Cáceres'),
  spanish('7137606', 'Badajoz'),
  spanish('7143019', 'Huelva'),
  spanish('7156312', 'Almería'),
  spanish('7181100', 'Logroño'),
  spanish('7111208', 'Vitoria-Gasteiz'),
  foreign({ uic: '9431039', name: 'Lisboa Oriente', zone: 'Europe/Lisbon', renfeCode: '94021' }),
  foreign({ uic: '8778400', name: 'Perpignan', zone: 'Europe/Paris', renfeCode: '87374' }),
  foreign({ uic: '8778110', name: 'Narbonne', zone: 'Europe/Paris', renfeCode: '87088' }),
  foreign({
    uic: '8777300',
    name: 'Montpellier Saint-Roch',
    zone: 'Europe/Paris',
    renfeCode: '87173',
  }),
  foreign({
    uic: '8775100',
    name: 'Marseille Saint-Charles',
    zone: 'Europe/Paris',
    renfeCode: '87089',
  }),
  foreign({ uic: '8772319', name: 'Lyon Part-Dieu', zone: 'Europe/Paris', renfeCode: '87303' }),
];

const byUic: ReadonlyMap<string, SimStation> = new Map(
  [...stations, ...europeanStations].map((each) => [each.uic, each]),
);

/** Returns the station with a UIC code, if a network has it. */
export function findStation(uic: string): SimStation | undefined {
  return byUic.get(uic);
}

/**
 * Returns the station with a UIC code.
 *
 * @throws RangeError when no network has such a station.
 */
export function stationOf(uic: string): SimStation {
  const station = byUic.get(uic);
  if (station) return station;
  throw new RangeError(`Cannot find station: \`uic\` must be of a simulated station, got ${uic}`);
}
