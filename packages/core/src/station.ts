/** `'uic:7160000'` (canonical), or `'<carrier>:<code>'` where a carrier has a code and UIC has none. */
export type StationId = string;

/** A place where trains call. Plain data: survives JSON and `structuredClone`. */
export interface Station {
  readonly id: StationId;
  readonly name: string;
  /** IANA time zone, for example `Europe/Madrid`. */
  readonly zone: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Degrees north, WGS 84. */
  readonly latitude: number;
  /** Degrees east, WGS 84. */
  readonly longitude: number;
  /** The station's code in each system that has one: `{ uic: '7160000', renfe: '60000' }`. */
  readonly codes: Readonly<Record<string, string>>;
  /** Other names that people type: the city, other languages. One station at most has each alias. */
  readonly aliases?: readonly string[];
}
