// The stations of Europe with their codes, found by what people type

export { type OpenStationsOptions, openStations } from './open-stations.ts';
export type {
  NearOptions,
  Point,
  StationBook,
  Suggestion,
  SuggestOptions,
} from './station-book.ts';
export { attribution, type StationSource } from './table/asset.ts';
