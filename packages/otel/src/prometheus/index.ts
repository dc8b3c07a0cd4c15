// Figures of the @ticketing libraries, and of any program, as Prometheus scrapes them
export { type Figure, type FigureKind, figures } from '../figures.ts';
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
export { familyOf, type HistogramFigure, histogramOf, type SingleFigure } from './family-of.ts';
export { bucketsInSeconds } from './in-seconds.ts';
export { type LibraryStats, libraryFamilies } from './library-families.ts';
export { prometheusName } from './prometheus-name.ts';
export { type MetricRegistry, registerFamilies } from './register-families.ts';
export { type Exposition, type Format, writeFamilies } from './write-families.ts';
