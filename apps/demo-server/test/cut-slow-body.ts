import { expect } from 'vitest';
import { exchange } from './demo.ts';

/** Proves that a server whose `--request-timeout-ms` is short cuts clients whose requests drip, and only those. */
export async function cutSlowBody({ url }: { readonly url: string }): Promise<void> {
  const drip = (head: string) =>
    exchange(url, `${head} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`, {
      drips: true,
    });
  const [read, unread, kept] = await Promise.all([
    drip('POST /sink'),
    drip('GET /healthz'),
    drip('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /sink'),
  ]);
  expectTimeout(read);
  // It has been answered before its body came: another answer would be the next request's.
  expect(unread.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
  expect(kept).toMatch(/^HTTP\/1.1 200 /);
  expectTimeout(kept.slice(kept.lastIndexOf('HTTP/1.1 ')));
}

function expectTimeout(answer: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 408 /);
  expect(head).toMatch(/^content-type: application\/problem\+json/im);
  expect(JSON.parse(body)).toMatchObject({
    status: 408,
    detail: expect.stringContaining('--request-timeout-ms'),
  });
}
