import type { Figure } from '../figures.ts';

/** Units of UCUM as Prometheus writes them. */
const UNITS: Readonly<Record<string, string>> = {
  s: 'seconds',
  By: 'bytes',
  '%': 'percent',
  '1': 'ratio',
};

/**
 * Returns the name of a figure in Prometheus: dots become underscores, the unit follows, and `_total` for a counter.
 * Rule: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics
 */
export function prometheusName({
  name,
  kind,
  unit,
}: Pick<Figure, 'name' | 'kind' | 'unit'>): string {
  const parts = [name.replace(/[^\w:]+/g, '_')];
  const word = UNITS[unit];
  // `1` is a ratio only in a gauge.
  const hasUnit = word !== undefined && (unit !== '1' || kind === 'gauge');
  if (hasUnit && !name.endsWith(word)) parts.push(word);
  if (kind === 'counter' && !name.endsWith('total')) parts.push('total');
  return parts.join('_');
}
