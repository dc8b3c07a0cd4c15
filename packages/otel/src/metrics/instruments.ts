import type { Attributes, Meter } from '@opentelemetry/api';
import type { Figure } from '../figures.ts';

/** The bounds that OpenTelemetry advises for the duration of HTTP requests. */
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Values for the labels of a figure. */
export type LabelsOf<F extends Figure> = { readonly [Label in keyof F['labels']]: string };

/** Adds to, or records, the value of a figure; `more` are attributes beside its labels. */
export type Measure<F extends Figure> = (
  value: number,
  labels: LabelsOf<F>,
  more?: Attributes,
) => void;

/** Creates the instrument of a figure. */
export function instrument<F extends Figure>(meter: Meter, figure: F): Measure<F> {
  const { name, help: description, unit } = figure;
  const attributesOf = (labels: LabelsOf<F>): Attributes =>
    Object.fromEntries(
      Object.entries<string>(labels).map(([label, value]) => [
        figure.labels[label] as string,
        value,
      ]),
    );
  if (figure.kind === 'histogram') {
    const advice = { explicitBucketBoundaries: BOUNDS_S };
    const histogram = meter.createHistogram(name, { description, unit, advice });
    return (value, labels, more) => histogram.record(value, { ...attributesOf(labels), ...more });
  }
  const counter =
    figure.kind === 'counter'
      ? meter.createCounter(name, { description, unit })
      : meter.createUpDownCounter(name, { description, unit });
  return (value, labels, more) => counter.add(value, { ...attributesOf(labels), ...more });
}
