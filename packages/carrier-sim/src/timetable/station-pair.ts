/** A pair of stations, both as UIC codes. */
export interface StationPair {
  readonly origin: string;
  readonly destination: string;
}
