import type { Latency } from './flags.ts';

/** A flag's value for people; `absent` stands for none. */
export function showFlag(value: unknown, absent = 'none'): string {
  if (value === undefined) return absent;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object') return showLatency(value as Latency);
  return String(value);
}

function showLatency(value: Latency): string {
  switch (value.kind) {
    case 'fixed':
      return `${value.ms} ms`;
    case 'random':
      return 'random, 0-999 ms';
    case 'lognormal':
      return `${value.p50Ms}:${value.p99Ms} ms (p50:p99)`;
  }
}
