import { strToU8, zipSync } from 'fflate';

/** Texts of a feed's files, by name. */
export type FeedTexts = Readonly<Record<string, string | undefined>>;

/** Packs texts as a feed, without those that are `undefined`. */
export function zipFeed(files: FeedTexts): Uint8Array {
  const packed: Record<string, Uint8Array> = {};
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined) packed[name] = strToU8(text);
  }
  return zipSync(packed);
}

/** Writes rows as a file; the columns are those of the first row. */
export function table(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (value: string | number | undefined): string => {
    const text = String(value ?? '');
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

/** A feed of one line, A to B to C, with one train on each day of 2026 and 2027. */
export const smallFeed: FeedTexts = {
  'agency.txt':
    'agency_id,agency_name,agency_url,agency_timezone\nx,Line X,https://x.example,Europe/Madrid\n',
  'stops.txt':
    'stop_id,stop_name,stop_lat,stop_lon\nA,Alfa,40.1,-3.1\nB,Bravo,40.2,-3.2\nC,Charlie,40.3,-3.3\n',
  'routes.txt': 'route_id,agency_id,route_short_name,route_long_name,route_type\nr,x,IC,,2\n',
  'trips.txt': 'route_id,service_id,trip_id,trip_short_name\nr,daily,t1,0101\n',
  'stop_times.txt':
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt1,08:00:00,08:00:00,A,1\nt1,08:30:00,08:32:00,B,2\nt1,09:00:00,09:00:00,C,3\n',
  'calendar.txt':
    'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,1,1,1,1,1,1,1,20260101,20271231\n',
};
