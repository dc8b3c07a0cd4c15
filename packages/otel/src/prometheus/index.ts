// Figures of the @ticketing libraries, and of any program, as Prometheus scrapes them
export {
  type Buckets,
  byLabel,
  type Distribution,
  type Family,
  type HistogramFamily,
  type Labels,
  type Point,
  type SingleFamily,
} from './family.ts';
export { bucketsInSeconds } from './in-seconds.ts';
export { type Exposition, type Format, writeFamilies } from './write-families.ts';
