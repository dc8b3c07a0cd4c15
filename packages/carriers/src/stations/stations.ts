import type { Station, StationGroup } from '@ticketing/core';

/**
 * The stations that the carriers serve, each by its UIC code and with the code of every carrier that calls
 * there. An alias belongs to one station: the name of a city with one station in the table means that one, of
 * one with several see {@link cities}.
 *
 * The UIC codes that were compared with Trainline's open station list (ODbL,
 * github.com/trainline-eu/stations) agree, except Gijón; the other Spanish ones end in the five digits of the
 * Renfe code. Renfe codes and all coordinates: Renfe's open station list (data.renfe.com), except the
 * coordinates of A Coruña (Trainline's list) and of Lisboa Oriente (CP's GTFS feed).
 * Lisboa Oriente's `renfe` code, and every `ouigoCity` and `avlo` code, are the simulator's own.
 * `ibnr` is the number of German and Austrian systems: seven digits as a UIC code has, but in most countries another number.
 */
// biome-ignore format: one station per line reads as the table that it is
export const stations: readonly Station[] = [
  { id: 'uic:7160000', name: 'Madrid Puerta de Atocha-Almudena Grandes', zone: 'Europe/Madrid', country: 'ES', latitude: 40.4064, longitude: -3.6909, codes: { uic: '7160000', renfe: '60000', ouigo: '7160000', ouigoCity: 'MAD', avlo: '12' }, aliases: ['Atocha', 'Madrid Atocha', 'Madrid Puerta de Atocha'] },
  { id: 'uic:7117000', name: 'Madrid Chamartín-Clara Campoamor', zone: 'Europe/Madrid', country: 'ES', latitude: 40.4712, longitude: -3.683, codes: { uic: '7117000', renfe: '17000', ouigo: '7117000', ouigoCity: 'MAC', avlo: '16' }, aliases: ['Chamartín', 'Madrid Chamartín'] },
  { id: 'uic:7171801', name: 'Barcelona Sants', zone: 'Europe/Madrid', country: 'ES', latitude: 41.3799, longitude: 2.141, codes: { uic: '7171801', renfe: '71801', ouigo: '7171801', ouigoCity: 'BCN', avlo: '13' }, aliases: ['Barcelona', 'Sants'] },
  { id: 'uic:7104040', name: 'Zaragoza Delicias', zone: 'Europe/Madrid', country: 'ES', latitude: 41.6587, longitude: -0.9113, codes: { uic: '7104040', renfe: '04040', ouigo: '7104040', ouigoCity: 'ZAZ', avlo: '14' }, aliases: ['Zaragoza', 'Saragossa'] },
  { id: 'uic:7104104', name: 'Camp de Tarragona', zone: 'Europe/Madrid', country: 'ES', latitude: 41.1921, longitude: 1.2727, codes: { uic: '7104104', renfe: '04104', ouigo: '7104104', ouigoCity: 'TGN', avlo: '15' }, aliases: ['Tarragona'] },
  { id: 'uic:7178400', name: 'Lleida Pirineus', zone: 'Europe/Madrid', country: 'ES', latitude: 41.6201, longitude: 0.6337, codes: { uic: '7178400', renfe: '78400' }, aliases: ['Lleida', 'Lérida'] },
  { id: 'uic:7179300', name: 'Girona', zone: 'Europe/Madrid', country: 'ES', latitude: 41.9794, longitude: 2.8169, codes: { uic: '7179300', renfe: '79300' }, aliases: ['Gerona'] },
  { id: 'uic:7104307', name: 'Figueres Vilafant', zone: 'Europe/Madrid', country: 'ES', latitude: 42.2648, longitude: 2.9435, codes: { uic: '7104307', renfe: '04307' }, aliases: ['Figueres', 'Figueras'] },
  { id: 'uic:7103216', name: 'Valencia Joaquín Sorolla', zone: 'Europe/Madrid', country: 'ES', latitude: 39.4591, longitude: -0.3829, codes: { uic: '7103216', renfe: '03216', ouigo: '7103216', ouigoCity: 'VLC', avlo: '17' }, aliases: ['Valencia', 'València'] },
  { id: 'uic:7160911', name: 'Alicante/Alacant', zone: 'Europe/Madrid', country: 'ES', latitude: 38.3447, longitude: -0.4955, codes: { uic: '7160911', renfe: '60911', ouigo: '7160911', ouigoCity: 'ALC', avlo: '18' }, aliases: ['Alicante', 'Alacant'] },
  { id: 'uic:7160600', name: 'Albacete Los Llanos', zone: 'Europe/Madrid', country: 'ES', latitude: 38.9994, longitude: -1.8484, codes: { uic: '7160600', renfe: '60600', ouigo: '7160600', ouigoCity: 'ABC' }, aliases: ['Albacete'] },
  { id: 'uic:7103208', name: 'Cuenca Fernando Zóbel', zone: 'Europe/Madrid', country: 'ES', latitude: 40.0352, longitude: -2.1444, codes: { uic: '7103208', renfe: '03208' }, aliases: ['Cuenca'] },
  { id: 'uic:7150500', name: 'Córdoba', zone: 'Europe/Madrid', country: 'ES', latitude: 37.8883, longitude: -4.7895, codes: { uic: '7150500', renfe: '50500', ouigo: '7150500', ouigoCity: 'COR', avlo: '19' }, aliases: ['Córdoba Julio Anguita'] },
  { id: 'uic:7151003', name: 'Sevilla Santa Justa', zone: 'Europe/Madrid', country: 'ES', latitude: 37.3925, longitude: -5.9749, codes: { uic: '7151003', renfe: '51003', ouigo: '7151003', ouigoCity: 'SVQ', avlo: '20' }, aliases: ['Sevilla', 'Seville'] },
  { id: 'uic:7154413', name: 'Málaga María Zambrano', zone: 'Europe/Madrid', country: 'ES', latitude: 36.7113, longitude: -4.4314, codes: { uic: '7154413', renfe: '54413', ouigo: '7154413', ouigoCity: 'AGP', avlo: '21' }, aliases: ['Málaga'] },
  { id: 'uic:7105000', name: 'Granada', zone: 'Europe/Madrid', country: 'ES', latitude: 37.184, longitude: -3.6092, codes: { uic: '7105000', renfe: '05000' } },
  { id: 'uic:7151405', name: 'Cádiz', zone: 'Europe/Madrid', country: 'ES', latitude: 36.5289, longitude: -6.288, codes: { uic: '7151405', renfe: '51405' } },
  { id: 'uic:7110600', name: 'Valladolid Campo Grande', zone: 'Europe/Madrid', country: 'ES', latitude: 41.6422, longitude: -4.727, codes: { uic: '7110600', renfe: '10600', ouigo: '7110600', ouigoCity: 'VLL', avlo: '22' }, aliases: ['Valladolid'] },
  { id: 'uic:7108004', name: 'Segovia Guiomar', zone: 'Europe/Madrid', country: 'ES', latitude: 40.9106, longitude: -4.0946, codes: { uic: '7108004', renfe: '08004' }, aliases: ['Segovia'] },
  { id: 'uic:7115100', name: 'León', zone: 'Europe/Madrid', country: 'ES', latitude: 42.596, longitude: -5.5824, codes: { uic: '7115100', renfe: '15100' } },
  { id: 'uic:7115211', name: 'Oviedo', zone: 'Europe/Madrid', country: 'ES', latitude: 43.3664, longitude: -5.8548, codes: { uic: '7115211', renfe: '15211' }, aliases: ['Uviéu'] },
  { id: 'uic:7115410', name: 'Gijón Sanz Crespo', zone: 'Europe/Madrid', country: 'ES', latitude: 43.5377, longitude: -5.6758, codes: { uic: '7115410', renfe: '15410' }, aliases: ['Gijón', 'Xixón'] },
  { id: 'uic:7114223', name: 'Santander', zone: 'Europe/Madrid', country: 'ES', latitude: 43.4584, longitude: -3.811, codes: { uic: '7114223', renfe: '14223' } },
  { id: 'uic:7113200', name: 'Bilbao Abando', zone: 'Europe/Madrid', country: 'ES', latitude: 43.2601, longitude: -2.9286, codes: { uic: '7113200', renfe: '13200' }, aliases: ['Bilbao', 'Bilbo', 'Bilbao Abando Indalecio Prieto'] },
  { id: 'uic:7111014', name: 'Burgos Rosa Manzano', zone: 'Europe/Madrid', country: 'ES', latitude: 42.3712, longitude: -3.6663, codes: { uic: '7111014', renfe: '11014' }, aliases: ['Burgos'] },
  { id: 'uic:7131412', name: 'A Coruña', zone: 'Europe/Madrid', country: 'ES', latitude: 43.3527, longitude: -8.4097, codes: { uic: '7131412', renfe: '31412' }, aliases: ['La Coruña', 'Coruna', 'Corunna'] },
  { id: 'uic:7131400', name: 'Santiago de Compostela', zone: 'Europe/Madrid', country: 'ES', latitude: 42.8708, longitude: -8.5447, codes: { uic: '7131400', renfe: '31400' }, aliases: ['Santiago', 'Santiago de Compostela Daniel Castelao'] },
  { id: 'uic:7122100', name: 'Ourense', zone: 'Europe/Madrid', country: 'ES', latitude: 42.3504, longitude: -7.8728, codes: { uic: '7122100', renfe: '22100' }, aliases: ['Orense'] },
  { id: 'uic:7108223', name: 'Vigo Urzáiz', zone: 'Europe/Madrid', country: 'ES', latitude: 42.2342, longitude: -8.7137, codes: { uic: '7108223', renfe: '08223' }, aliases: ['Vigo'] },
  { id: 'uic:7161200', name: 'Murcia del Carmen', zone: 'Europe/Madrid', country: 'ES', latitude: 37.9748, longitude: -1.1315, codes: { uic: '7161200', renfe: '61200' }, aliases: ['Murcia'] },
  { id: 'uic:7192102', name: 'Toledo', zone: 'Europe/Madrid', country: 'ES', latitude: 39.8623, longitude: -4.0112, codes: { uic: '7192102', renfe: '92102' } },
  { id: 'uic:7137200', name: 'Ciudad Real', zone: 'Europe/Madrid', country: 'ES', latitude: 38.9853, longitude: -3.9136, codes: { uic: '7137200', renfe: '37200' } },
  { id: 'uic:7180100', name: 'Pamplona', zone: 'Europe/Madrid', country: 'ES', latitude: 42.8249, longitude: -1.6614, codes: { uic: '7180100', renfe: '80100' }, aliases: ['Iruña', 'Pamplona/Iruña'] },
  { id: 'uic:7111511', name: 'San Sebastián/Donostia', zone: 'Europe/Madrid', country: 'ES', latitude: 43.3177, longitude: -1.9767, codes: { uic: '7111511', renfe: '11511' }, aliases: ['San Sebastián', 'Donostia'] },
  { id: 'uic:7135400', name: 'Cáceres', zone: 'Europe/Madrid', country: 'ES', latitude: 39.4611, longitude: -6.3857, codes: { uic: '7135400', renfe: '35400' } },
  { id: 'uic:7137606', name: 'Badajoz', zone: 'Europe/Madrid', country: 'ES', latitude: 38.8907, longitude: -6.9818, codes: { uic: '7137606', renfe: '37606' } },
  { id: 'uic:7143019', name: 'Huelva', zone: 'Europe/Madrid', country: 'ES', latitude: 37.2526, longitude: -6.9448, codes: { uic: '7143019', renfe: '43019' } },
  { id: 'uic:7156312', name: 'Almería', zone: 'Europe/Madrid', country: 'ES', latitude: 36.835, longitude: -2.4555, codes: { uic: '7156312', renfe: '56312' } },
  { id: 'uic:7181100', name: 'Logroño', zone: 'Europe/Madrid', country: 'ES', latitude: 42.4575, longitude: -2.4422, codes: { uic: '7181100', renfe: '81100' } },
  { id: 'uic:7111208', name: 'Vitoria-Gasteiz', zone: 'Europe/Madrid', country: 'ES', latitude: 42.8415, longitude: -2.6726, codes: { uic: '7111208', renfe: '11208' }, aliases: ['Vitoria', 'Gasteiz'] },
  { id: 'uic:9431039', name: 'Lisboa Oriente', zone: 'Europe/Lisbon', country: 'PT', latitude: 38.7678, longitude: -9.0991, codes: { uic: '9431039', renfe: '94021' }, aliases: ['Lisboa', 'Lisbon'] },
  { id: 'uic:8778400', name: 'Perpignan', zone: 'Europe/Paris', country: 'FR', latitude: 42.6964, longitude: 2.8804, codes: { uic: '8778400', renfe: '87374' }, aliases: ['Perpiñán', 'Perpinyà'] },
  { id: 'uic:8778110', name: 'Narbonne', zone: 'Europe/Paris', country: 'FR', latitude: 43.1903, longitude: 3.0057, codes: { uic: '8778110', renfe: '87088' }, aliases: ['Narbona'] },
  { id: 'uic:8777300', name: 'Montpellier Saint-Roch', zone: 'Europe/Paris', country: 'FR', latitude: 43.6049, longitude: 3.8805, codes: { uic: '8777300', renfe: '87173' }, aliases: ['Montpellier'] },
  { id: 'uic:8775100', name: 'Marseille Saint-Charles', zone: 'Europe/Paris', country: 'FR', latitude: 43.3035, longitude: 5.3822, codes: { uic: '8775100', renfe: '87089' }, aliases: ['Marseille', 'Marsella', 'Marseilles'] },
  { id: 'uic:8772319', name: 'Lyon Part-Dieu', zone: 'Europe/Paris', country: 'FR', latitude: 45.7603, longitude: 4.8598, codes: { uic: '8772319', renfe: '87303', ibnr: '8700152' }, aliases: ['Lyon'] },
  { id: 'uic:8768600', name: 'Paris Gare de Lyon', zone: 'Europe/Paris', country: 'FR', latitude: 48.8449, longitude: 2.3735, codes: { uic: '8768600', ibnr: '8700012' }, aliases: ['Gare de Lyon'] },
  { id: 'uic:8727100', name: 'Paris Nord', zone: 'Europe/Paris', country: 'FR', latitude: 48.8802, longitude: 2.3552, codes: { uic: '8727100', ibnr: '8700014' }, aliases: ['Gare du Nord', 'Paris Gare du Nord'] },
  { id: 'uic:8711300', name: 'Paris Est', zone: 'Europe/Paris', country: 'FR', latitude: 48.8767, longitude: 2.3584, codes: { uic: '8711300', ibnr: '8700011' }, aliases: ["Gare de l'Est", "Paris Gare de l'Est"] },
  { id: 'uic:8774100', name: 'Chambéry Challes-les-Eaux', zone: 'Europe/Paris', country: 'FR', latitude: 45.5713, longitude: 5.9195, codes: { uic: '8774100', ibnr: '8700055' }, aliases: ['Chambéry'] },
  { id: 'uic:8771304', name: 'Dijon Ville', zone: 'Europe/Paris', country: 'FR', latitude: 47.3234, longitude: 5.0272, codes: { uic: '8771304', ibnr: '8700021' }, aliases: ['Dijon'] },
  { id: 'uic:8721202', name: 'Strasbourg', zone: 'Europe/Paris', country: 'FR', latitude: 48.585, longitude: 7.7346, codes: { uic: '8721202', ibnr: '8700023' }, aliases: ['Strassburg'] },
  { id: 'uic:8722326', name: 'Lille Europe', zone: 'Europe/Paris', country: 'FR', latitude: 50.6392, longitude: 3.0758, codes: { uic: '8722326', ibnr: '8704949' }, aliases: ['Lille'] },
  { id: 'uic:7015400', name: 'London St Pancras International', zone: 'Europe/London', country: 'GB', latitude: 51.5319, longitude: -0.1264, codes: { uic: '7015400', ibnr: '7004428' }, aliases: ['London', 'St Pancras', 'London St Pancras'] },
  { id: 'uic:8500010', name: 'Basel SBB', zone: 'Europe/Zurich', country: 'CH', latitude: 47.5471, longitude: 7.5892, codes: { uic: '8500010', ibnr: '8500010' }, aliases: ['Basel', 'Bâle'] },
  { id: 'uic:8503000', name: 'Zürich HB', zone: 'Europe/Zurich', country: 'CH', latitude: 47.3782, longitude: 8.5392, codes: { uic: '8503000', ibnr: '8503000' }, aliases: ['Zürich', 'Zurich'] },
  { id: 'uic:8507000', name: 'Bern', zone: 'Europe/Zurich', country: 'CH', latitude: 46.9491, longitude: 7.4385, codes: { uic: '8507000', ibnr: '8507000' }, aliases: ['Berne'] },
  { id: 'uic:8501609', name: 'Brig', zone: 'Europe/Zurich', country: 'CH', latitude: 46.3194, longitude: 7.9881, codes: { uic: '8501609', ibnr: '8501609' } },
  { id: 'uic:8505004', name: 'Arth-Goldau', zone: 'Europe/Zurich', country: 'CH', latitude: 47.0492, longitude: 8.5495, codes: { uic: '8505004', ibnr: '8505004' } },
  { id: 'uic:8505300', name: 'Lugano', zone: 'Europe/Zurich', country: 'CH', latitude: 46.0055, longitude: 8.9469, codes: { uic: '8505300', ibnr: '8505300' } },
  { id: 'uic:8501120', name: 'Lausanne', zone: 'Europe/Zurich', country: 'CH', latitude: 46.5167, longitude: 6.6291, codes: { uic: '8501120', ibnr: '8501120' } },
  { id: 'uic:8501008', name: 'Genève', zone: 'Europe/Zurich', country: 'CH', latitude: 46.2102, longitude: 6.1424, codes: { uic: '8501008', ibnr: '8501008' }, aliases: ['Geneva', 'Genf'] },
  { id: 'uic:8301700', name: 'Milano Centrale', zone: 'Europe/Rome', country: 'IT', latitude: 45.4871, longitude: 9.2048, codes: { uic: '8301700', ibnr: '8300046' }, aliases: ['Milano', 'Milan', 'Mailand'] },
  { id: 'uic:8300035', name: 'Torino Porta Susa', zone: 'Europe/Rome', country: 'IT', latitude: 45.0718, longitude: 7.6652, codes: { uic: '8300035', ibnr: '8300522' }, aliases: ['Torino', 'Turin'] },
  { id: 'uic:8301003', name: 'Domodossola', zone: 'Europe/Rome', country: 'IT', latitude: 46.1155, longitude: 8.2967, codes: { uic: '8301003', ibnr: '8300057' } },
  { id: 'uic:8101003', name: 'Wien Hbf', zone: 'Europe/Vienna', country: 'AT', latitude: 48.1849, longitude: 16.3759, codes: { uic: '8101003', ibnr: '8103000' }, aliases: ['Wien', 'Vienna', 'Wien Hauptbahnhof'] },
  { id: 'uic:8101114', name: 'Salzburg Hbf', zone: 'Europe/Vienna', country: 'AT', latitude: 47.813, longitude: 13.0458, codes: { uic: '8101114', ibnr: '8100002' }, aliases: ['Salzburg'] },
  { id: 'uic:8101187', name: 'Innsbruck Hbf', zone: 'Europe/Vienna', country: 'AT', latitude: 47.2633, longitude: 11.401, codes: { uic: '8101187', ibnr: '8100108' }, aliases: ['Innsbruck'] },
  { id: 'uic:8020347', name: 'München Hbf', zone: 'Europe/Berlin', country: 'DE', latitude: 48.1402, longitude: 11.5583, codes: { uic: '8020347', ibnr: '8000261' }, aliases: ['München', 'Munich', 'München Hauptbahnhof'] },
  { id: 'uic:8029034', name: 'Stuttgart Hbf', zone: 'Europe/Berlin', country: 'DE', latitude: 48.7841, longitude: 9.1816, codes: { uic: '8029034', ibnr: '8000096' }, aliases: ['Stuttgart'] },
  { id: 'uic:8014228', name: 'Karlsruhe Hbf', zone: 'Europe/Berlin', country: 'DE', latitude: 48.9935, longitude: 8.4018, codes: { uic: '8014228', ibnr: '8000191' }, aliases: ['Karlsruhe'] },
  { id: 'uic:8014350', name: 'Freiburg (Breisgau) Hbf', zone: 'Europe/Berlin', country: 'DE', latitude: 47.9977, longitude: 7.8416, codes: { uic: '8014350', ibnr: '8000107' }, aliases: ['Freiburg'] },
  { id: 'uic:8011068', name: 'Frankfurt (Main) Hbf', zone: 'Europe/Berlin', country: 'DE', latitude: 50.1071, longitude: 8.6638, codes: { uic: '8011068', ibnr: '8000105' }, aliases: ['Frankfurt', 'Frankfurt am Main'] },
];

/** Cities with several stations in the table: where their carriers call, the most important first. */
// biome-ignore format: one city per line reads as the table that it is
export const cities: readonly StationGroup[] = [
  city('madrid', { name: 'Madrid', latitude: 40.4, longitude: -3.68 }, ['uic:7160000', 'uic:7117000']),
  city('paris', { name: 'Paris', latitude: 48.85, longitude: 2.35 }, ['uic:8768600', 'uic:8727100', 'uic:8711300']),
];

function city(
  slug: string,
  { name, latitude, longitude }: Pick<StationGroup, 'name' | 'latitude' | 'longitude'>,
  ids: readonly string[],
): StationGroup {
  const members = stations.filter(({ id }) => ids.includes(id));
  const { zone, country } = members[0] as Station;
  const id = `city:${country.toLowerCase()}:${slug}`;
  return { id, name, zone, country, latitude, longitude, codes: {}, members };
}
