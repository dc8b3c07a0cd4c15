/** A command line or environment that the server cannot start with. Its message is one line. */
export class FlagError extends Error {}

export type RouteBy = 'search-key' | 'none' | `header:${string}`;

/** Latency of the embedded simulator. */
export type Latency =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'random' }
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

const MAX_LATENCY_MS = 60_000;

// Each reader returns the value, or throws an Error whose message says what the value must be.

export function anyText(text: string): string {
  if (text.trim() === '') throw new Error('text');
  return text;
}

export function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`an integer from ${min} to ${max}`);
  };
}

export function carrierList<Name extends string>(names: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const wanted = text === 'all' ? [...names] : text.split(',').map((name) => name.trim());
    const known = names.filter((name) => wanted.includes(name));
    if (known.length === wanted.length && known.length > 0) return known;
    throw new Error(`all, or some of ${names.join(',')}`);
  };
}

export function httpUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) {
    let end = text.length;
    while (text[end - 1] === '/') end -= 1;
    return text.slice(0, end);
  }
  throw new Error('an http or https URL');
}

export function databaseUrl(text: string): string {
  // The platform's parser refuses MongoDB's lists of hosts.
  const isKnown = /^(?:postgres(?:ql)?|mongodb):\/\/[^\s]+$/.test(text);
  if (isKnown && (text.startsWith('mongodb:') || URL.canParse(text))) return text;
  throw new Error('a postgres:// or mongodb:// URL');
}

export function latency(text: string): Latency {
  if (text === 'random') return { kind: 'random' };
  const [, p50, p99] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const p50Ms = Number(p50);
  const p99Ms = Number(p99 ?? p50);
  const inRange = p50Ms <= MAX_LATENCY_MS && p99Ms <= MAX_LATENCY_MS;
  if (inRange && p99 === undefined) return { kind: 'fixed', ms: p50Ms };
  if (inRange && p50Ms >= 1 && p99Ms >= p50Ms) return { kind: 'lognormal', p50Ms, p99Ms };
  throw new Error(`milliseconds up to ${MAX_LATENCY_MS}, p50:p99, or random`);
}

export function onOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Error('on or off');
}

export function trueFalse(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('true or false');
}

export function oneOf<Name extends string>(names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const known = names.find((name) => name === text);
    if (known !== undefined) return known;
    throw new Error(`one of ${names.join(', ')}`);
  };
}

export function routeBy(text: string): RouteBy {
  if (text === 'search-key' || text === 'none') return text;
  if (/^header:[\w!#$%&'*+.^`|~-]+$/.test(text)) return text as RouteBy;
  throw new Error('search-key, none, or header:<name>');
}

/** Also takes `off`: no bound. */
export function offOr<T>(read: (text: string) => T): (text: string) => T | 'off' {
  return (text) => {
    if (text === 'off') return text;
    try {
      return read(text);
    } catch (error) {
      throw new Error(`off, ${(error as Error).message}`);
    }
  };
}

/** Also takes `auto`: the server chooses. */
export function autoOr<T>(read: (text: string) => T): (text: string) => T | 'auto' {
  return (text) => {
    if (text === 'auto') return text;
    try {
      return read(text);
    } catch (error) {
      throw new Error(`auto, or ${(error as Error).message}`);
    }
  };
}

/** Returns a database's URL without user, password and parameters; of any other text nothing, since it may be a password. */
export function hideSecrets(text: string): string {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return text === '' ? '' : '…';
  // A password that is not encoded may have any character: the host is after the last @.
  const host = rest.slice(rest.lastIndexOf('@') + 1);
  return scheme + host.replace(/[?#].*$/s, '');
}
