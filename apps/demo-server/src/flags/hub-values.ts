import { stationTable } from '@ticketing/carriers';
import type { ValueReader } from '@ticketing/cli-kit';
import type { HubSetting } from '../hubs/hubs-between.ts';

const MAX_HUBS = 50;
const MAX_MINUTES = 1440;

/** Places where travellers change between sellers, with the minutes that they need: across the cities of Madrid and Paris, on the platforms of the others. */
export const usualHubs: readonly HubSetting[] = [
  { id: 'uic:7171801', minMinutes: 45 },
  { id: 'city:es:madrid', minMinutes: 60 },
  { id: 'city:fr:paris', minMinutes: 75 },
  { id: 'uic:8503000', minMinutes: 30 },
];

/** Reads `off`, or pairs such as `Paris=75,uic:7171801=45`: a station or city that carriers serve, and minutes. */
export const hubs: ValueReader<readonly HubSetting[]> = {
  expected: 'off, or station=minutes with commas',
  words: ['off'],
  read(text) {
    if (text === 'off') return [];
    const settings = text.split(',').map(readHub);
    const ids = new Set(settings.map((setting) => setting?.id));
    const isSound = ids.size === settings.length && !ids.has(undefined) && ids.size <= MAX_HUBS;
    return isSound ? (settings as HubSetting[]) : undefined;
  },
};

function readHub(text: string): HubSetting | undefined {
  const [, name = '', minutes = ''] = /^([^=]{1,100})=(\d{1,4})$/.exec(text.trim()) ?? [];
  const match = stationTable.find(name.trim());
  const minMinutes = Number(minutes);
  if (match.kind !== 'found' || minutes === '' || minMinutes > MAX_MINUTES) return undefined;
  return { id: match.station.id, minMinutes };
}

export function showHubs(value: readonly HubSetting[]): string {
  const pairs = value.map(
    ({ id, minMinutes }) => `${stationTable.byId(id)?.name ?? id}=${minMinutes}`,
  );
  return pairs.join(',') || 'off';
}
