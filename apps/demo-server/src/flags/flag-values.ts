import { hideSecrets, type ValueReader, wordOr } from '@ticketing/cli-kit';
import type { KeepSettings } from '../kept/keep-settings.ts';

export type RouteBy = 'search-key' | 'none' | `header:${string}`;

/** Latency of the embedded simulator. */
export type Latency =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'random' }
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Returns whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

const MAX_LATENCY_MS = 60_000;

export const latency: ValueReader<Latency> = {
  expected: `milliseconds up to ${MAX_LATENCY_MS}, p50:p99, or random`,
  words: ['random'],
  read(text) {
    if (text === 'random') return { kind: 'random' };
    const [, p50, p99] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? [];
    const p50Ms = Number(p50);
    const p99Ms = Number(p99 ?? p50);
    const inRange = p50Ms <= MAX_LATENCY_MS && p99Ms <= MAX_LATENCY_MS;
    if (inRange && p99 === undefined) return { kind: 'fixed', ms: p50Ms };
    if (inRange && p50Ms >= 1 && p99Ms >= p50Ms) return { kind: 'lognormal', p50Ms, p99Ms };
    return undefined;
  },
};

export function showLatency(value: Latency): string {
  switch (value.kind) {
    case 'fixed':
      return `${value.ms} ms`;
    case 'random':
      return 'random, 0-999 ms';
    case 'lognormal':
      return `${value.p50Ms}:${value.p99Ms} ms (p50:p99)`;
  }
}

const MOST_SECONDS = 86_400;

/** Two times in seconds, `60:600`: for which something is fresh, and then stale. */
const freshAndStale: ValueReader<KeepSettings> = {
  expected: `fresh:stale in seconds, 1 to ${MOST_SECONDS} and 0 to ${MOST_SECONDS}`,
  words: [],
  read(text) {
    const [, fresh, stale] = /^(\d{1,5}):(\d{1,5})$/.exec(text)?.map(Number) ?? [];
    const isRead = fresh !== undefined && stale !== undefined;
    if (!isRead || fresh < 1 || fresh > MOST_SECONDS || stale > MOST_SECONDS) return undefined;
    return { freshMs: fresh * 1000, staleMs: stale * 1000 };
  },
};

/** Reader of times for kept answers, or `off`. */
export const keepTimes: ValueReader<KeepSettings | 'off'> = wordOr('off', freshAndStale);

export function showKeepTimes(value: KeepSettings | 'off'): string {
  return value === 'off' ? value : `${value.freshMs / 1000}:${value.staleMs / 1000} s`;
}

export const routeBy: ValueReader<RouteBy> = {
  expected: 'search-key, none, or header:<name>',
  words: ['search-key', 'none'],
  read(text) {
    if (text === 'search-key' || text === 'none') return text;
    return /^header:[\w!#$%&'*+.^`|~-]+$/.test(text) ? (text as RouteBy) : undefined;
  },
};

export const databaseUrl: ValueReader<string> = {
  expected: 'a postgres:// or mongodb:// URL',
  hide: hideSecrets,
  read(text) {
    // The platform's parser refuses MongoDB's lists of hosts.
    const isKnown = /^(?:postgres(?:ql)?|mongodb):\/\/[^\s]+$/.test(text);
    return isKnown && (text.startsWith('mongodb:') || URL.canParse(text)) ? text : undefined;
  },
};

const isNatsServer = (text: string): boolean =>
  /^(?:nats|tls):\/\/[^\s,]+$/.test(text) && URL.canParse(text);

export const natsUrl: ValueReader<string> = {
  expected: 'nats:// or tls:// URLs of one cluster, with commas',
  hide: hideNatsSecrets,
  read: (text) => (text.split(',').every(isNatsServer) ? text : undefined),
};

/** Returns URLs of NATS without users, passwords and tokens. */
export function hideNatsSecrets(text: string): string {
  const servers = text.split(',');
  // A comma may be part of a password: then nothing but the last host is shown.
  return servers.every(isNatsServer) ? servers.map(hideSecrets).join(',') : hideSecrets(text);
}

const HOST_NAME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;

export const hostNames: ValueReader<readonly string[]> = {
  expected: 'host names, with commas',
  read(text) {
    const names = text.toLowerCase().split(',');
    return names.every((name) => HOST_NAME.test(name)) ? names : undefined;
  },
};

export const fleetName: ValueReader<string> = {
  expected: '1 to 24 lower-case letters, digits and dashes',
  read: (text) => (/^[a-z0-9-]{1,24}$/.test(text) ? text : undefined),
};

export const redisUrl: ValueReader<string> = {
  expected: 'a redis:// or rediss:// URL',
  hide: hideSecrets,
  read: (text) => (/^rediss?:\/\/[^\s]+$/.test(text) && URL.canParse(text) ? text : undefined),
};

export const secret: ValueReader<string> = {
  expected: 'text of 16 to 200 characters',
  hide: () => '…',
  read: (text) => (text.length >= 16 && text.length <= 200 ? text : undefined),
};
