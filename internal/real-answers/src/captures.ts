import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json } from './wires/json.ts';

/** Wires whose answers can be read. */
export const WIRES = ['hafas', 'navitia', 'ojp', 'osdm', 'ouigo', 'renfe'] as const;
export type WireName = (typeof WIRES)[number];

/** Question of a capture, as in its `query.json`. */
export interface CapturedQuery {
  /** System and code of a station, such as `uic:7160000`. */
  readonly origin: string;
  readonly destination: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Adults. Default 1. */
  readonly passengers: number;
  /** Options of the adapter, such as `profile` of HAFAS or `zone` of OJP. Default: the options of a plain server. */
  readonly options: Json;
}

/** One answer as it was captured. */
export interface Capture {
  readonly wire: WireName;
  /** Relative to the folder. */
  readonly file: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly query: CapturedQuery;
}

/** Error for a file that cannot be used; the message has what to change. */
export class CaptureError extends Error {}

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads the captures of a folder: files in folders with the names of wires. What was asked for is in `<name>.query.json` beside
 * `<name>.<type>`, or in `query.json` of the same folder.
 *
 * @throws CaptureError for a folder without captures, a file without a query, or a query that is none
 */
export function readCaptures(folder: string): readonly Capture[] {
  const captures = WIRES.flatMap((wire) => readWire(folder, wire));
  if (captures.length === 0) {
    const message = `Cannot find answers in ${folder}: put them in folders named ${WIRES.join(', ')}`;
    throw new CaptureError(message);
  }
  return captures;
}

function readWire(folder: string, wire: WireName): readonly Capture[] {
  const path = join(folder, wire);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => !name.endsWith('query.json') && statSync(join(path, name)).isFile())
    .sort()
    .map((name): Capture => {
      const file = join(wire, name);
      const { size } = statSync(join(path, name));
      if (size > MAX_BYTES) throw new CaptureError(`Cannot read ${file}: it has ${size} bytes`);
      return {
        wire,
        file,
        body: new Uint8Array(readFileSync(join(path, name))),
        query: queryOf(path, name, file),
      };
    });
}

function queryOf(path: string, name: string, file: string): CapturedQuery {
  const own = `${name.replace(/\.[^.]*$/, '')}.query.json`;
  const found = [own, 'query.json'].find((one) => existsSync(join(path, one)));
  if (found === undefined) {
    throw new CaptureError(`Cannot read ${file}: write what was asked for to ${own}`);
  }
  const query = parse(readFileSync(join(path, found), 'utf8'), join(path, found));
  const { origin, destination, date, passengers = 1, options = {} } = query;
  const wrong = (field: string, expected: string): CaptureError =>
    new CaptureError(`Cannot read ${join(path, found)}: \`${field}\` must be ${expected}`);
  const stations = { origin, destination };
  for (const [field, value] of Object.entries(stations)) {
    if (typeof value !== 'string' || !/^\w+:.+$/.test(value)) {
      throw wrong(field, 'a system and a code, such as uic:7160000');
    }
  }
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date))
    throw wrong('date', 'YYYY-MM-DD');
  if (!Number.isInteger(passengers) || Number(passengers) < 1) {
    throw wrong('passengers', 'a number from 1');
  }
  if (!isObject(options)) throw wrong('options', 'an object');
  return {
    origin: String(origin),
    destination: String(destination),
    date,
    passengers: Number(passengers),
    options,
  };
}

function parse(text: string, path: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CaptureError(`Cannot read ${path}: it must be JSON`, { cause });
  }
  if (!isObject(value)) throw new CaptureError(`Cannot read ${path}: it must be a JSON object`);
  return value;
}
