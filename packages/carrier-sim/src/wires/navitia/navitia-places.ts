import { europeanStations, uic8Of } from '../../timetable/europe/stations.ts';
import type { Zone } from '../../timetable/local-clock.ts';
import { stationOf } from '../../timetable/network.ts';

/** Codes of stations in an answer. `older`: as regions had them before 2021, in ids of other forms. */
export type NavitiaCodes = 'uic' | 'older';

/** Zone of the region: every time of an answer is on its clocks. */
export const regionZone: Zone = 'Europe/Paris';

const STOP_AREA = /^stop_area:SIM:(\d{7})(\d)$/;

/** Returns the UIC code of a station of the region, by its id; `undefined` for another id. */
export function uicOfStopArea(id: string): string | undefined {
  const [, uic] = STOP_AREA.exec(id) ?? [];
  const isKnown = europeanStations.some((station) => station.uic === uic);
  return uic !== undefined && isKnown && stopAreaId(uic) === id ? uic : undefined;
}

/** Returns the id of a station. */
export function stopAreaId(uic: string, codes: NavitiaCodes = 'uic'): string {
  return codes === 'uic' ? `stop_area:SIM:${uic8Of(uic)}` : `stop_area:OSIM:SA:${uic8Of(uic)}`;
}

function stopPointId(uic: string, codes: NavitiaCodes): string {
  return codes === 'uic'
    ? `stop_point:SIM:${uic8Of(uic)}:LongDistanceTrain`
    : `stop_point:OSIM:SP:Train-${uic8Of(uic)}`;
}

function codesOf(uic: string, codes: NavitiaCodes): readonly object[] {
  const value = uic8Of(uic);
  return codes === 'uic'
    ? [
        { type: 'source', value },
        { type: 'uic', value },
      ]
    : [
        { type: 'CR-CI-CH', value: `00${value.slice(0, 2)}-${value.slice(2)}-BV` },
        { type: 'UIC8', value },
        { type: 'external_code', value: `OSIM${value}` },
      ];
}

function coordOf(uic: string): { readonly lat: string; readonly lon: string } {
  const { latitude = 0, longitude = 0 } = stationOf(uic);
  return { lat: String(latitude), lon: String(longitude) };
}

function stopArea(uic: string, codes: NavitiaCodes): object {
  const { name, zone } = stationOf(uic);
  return {
    id: stopAreaId(uic, codes),
    name,
    label: name,
    links: [],
    coord: coordOf(uic),
    codes: codesOf(uic, codes),
    timezone: zone,
  };
}

/** Returns a platform as it is in a list of stops: without its station. */
export function stopPoint(uic: string, codes: NavitiaCodes): object {
  const { name } = stationOf(uic);
  return {
    id: stopPointId(uic, codes),
    name,
    label: name,
    links: [],
    coord: coordOf(uic),
    equipments: [],
  };
}

/** Returns an end of a section: a platform of a station. */
export function pointPlace(uic: string, codes: NavitiaCodes): object {
  return {
    embedded_type: 'stop_point',
    id: stopPointId(uic, codes),
    name: stationOf(uic).name,
    quality: 0,
    stop_point: { ...stopPoint(uic, codes), stop_area: stopArea(uic, codes) },
  };
}

/** Returns an end of a section: a station. */
export function areaPlace(uic: string, codes: NavitiaCodes): object {
  return {
    embedded_type: 'stop_area',
    id: stopAreaId(uic, codes),
    name: stationOf(uic).name,
    quality: 0,
    stop_area: stopArea(uic, codes),
  };
}

/** Returns an end of a section: an address near a station. */
export function addressPlace(uic: string): object {
  const { lat, lon } = coordOf(uic);
  const name = `${stationOf(uic).name}, Lane 3`;
  const id = `${lon};${lat}`;
  const address = { id, name, label: name, house_number: 3, coord: { lat, lon } };
  return { embedded_type: 'address', id, name, quality: 0, address };
}
