import type { Family, Labels } from './family.ts';
import { type Sample, samplesOf } from './samples.ts';

/** Text format of a scrape: that of Prometheus, version 0.0.4, or that of OpenMetrics, version 1.0. */
export type Format = 'text' | 'openmetrics';

/** Answer to a scrape. */
export interface Exposition {
  /** Value of the header `Content-Type`. */
  readonly contentType: string;
  readonly text: string;
}

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

const METRIC_NAME = /^[A-Za-z_:][A-Za-z0-9_:]*$/;
const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns families as a scraper reads them, in their order. A family without series is left out.
 * Formats: https://prometheus.io/docs/instrumenting/exposition_formats, https://prometheus.io/docs/specs/om/open_metrics_spec
 *
 * @throws TypeError for a name that Prometheus refuses, one that two families have, and an unknown format
 * @example
 * const { contentType, text } = writeFamilies(families, { source: dispatcher.stats() });
 */
export function writeFamilies<Source>(
  families: readonly Family<Source>[],
  { source, format = 'text' }: { readonly source: Source; readonly format?: Format },
): Exposition {
  if (!Object.hasOwn(CONTENT_TYPES, format)) {
    throw new TypeError(`Option \`format\` must be \`text\` or \`openmetrics\`, got \`${format}\``);
  }
  const isOpen = format === 'openmetrics';
  const names = new Set<string>();
  const texts: string[] = [];
  for (const family of families) {
    checkName(family, names);
    const lines = samplesOf(family, source).map(lineOf);
    if (lines.length > 0) texts.push(`${headOf(family, isOpen)}${lines.join('\n')}\n`);
  }
  const text = isOpen ? `${texts.join('')}# EOF\n` : texts.join('\n');
  return { contentType: CONTENT_TYPES[format], text };
}

function checkName<Source>({ name, type }: Family<Source>, names: Set<string>): void {
  if (!METRIC_NAME.test(name)) {
    throw new TypeError(`Name of a family must match ${METRIC_NAME.source}, got \`${name}\``);
  }
  if (type === 'counter' && !name.endsWith('_total')) {
    throw new TypeError(`Name of a counter must end in \`_total\`, got \`${name}\``);
  }
  if (names.has(name)) throw new TypeError(`Two families have the name \`${name}\``);
  names.add(name);
}

/** OpenMetrics names a counter without the ending of its series, and escapes quotes in its help. */
function headOf<Source>({ name, help, type }: Family<Source>, isOpen: boolean): string {
  const head = isOpen && type === 'counter' ? name.slice(0, -'_total'.length) : name;
  const text = isOpen ? escapeQuoted(help) : escapeLine(help);
  return `# HELP ${head} ${text}\n# TYPE ${head} ${type}\n`;
}

function lineOf({ name, labels, value }: Sample): string {
  return `${name}${labelSet(labels)} ${numeral(value)}`;
}

function labelSet(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    if (LABEL_NAME.test(name)) return `${name}="${escapeQuoted(value)}"`;
    throw new TypeError(`Name of a label must match ${LABEL_NAME.source}, got \`${name}\``);
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function numeral(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeQuoted(text: string): string {
  return escapeLine(text).replaceAll('"', '\\"');
}
