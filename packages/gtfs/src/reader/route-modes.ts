import type { RideMode } from '@ticketing/core';

/** Kinds of vehicles by which a feed may be cut down. */
export type GtfsMode = 'train' | RideMode;

export const GTFS_MODES: readonly GtfsMode[] = ['train', 'bus', 'tram', 'metro', 'ferry', 'other'];

const basic: readonly GtfsMode[] = [
  'tram',
  'metro',
  'train',
  'bus',
  'ferry',
  'tram',
  'other',
  'other',
];

/** The extended types by hundreds, as the producers of national feeds use them. */
const extended: Readonly<Record<number, GtfsMode>> = {
  1: 'train',
  2: 'bus',
  3: 'train',
  4: 'metro',
  5: 'metro',
  6: 'metro',
  7: 'bus',
  8: 'bus',
  9: 'tram',
  10: 'ferry',
  12: 'ferry',
};

/** Returns the kind of vehicle of a `route_type`; an unknown type is `other`, as the list grows. */
export function modeOf(routeType: string): GtfsMode {
  const type = Number(routeType === '' ? Number.NaN : routeType);
  if (type === 11) return 'bus';
  return basic[type] ?? (type >= 100 ? extended[Math.floor(type / 100)] : undefined) ?? 'other';
}
