import { expect, test } from 'vitest';
import { exchange } from './clients.ts';
import { OTHER_REFUSALS, SMUGGLING_SHAPES } from './fixtures/head-refusals.ts';
import { openRouter } from './router-fixture.ts';

const ALL = [...SMUGGLING_SHAPES, ...OTHER_REFUSALS];
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
};
test('mode socket answers each refused head with these bytes and no others, and no worker sees it', async () => {
  const { port, router } = await openRouter({ count: 1 });
  const answers = await Promise.all(
    ALL.map(([, head]) => exchange(port, Buffer.from(head, 'latin1'))),
  );
  const expected = ALL.map(([, head, status]) => {
    const body = `{"type":"about:blank","title":"${REASONS[status]}","status":${status}}`;
    const fields = [
      `HTTP/1.1 ${status} ${REASONS[status]}`,
      'Connection: close',
      'Content-Type: application/problem+json',
      `Content-Length: ${body.length}`,
    ];
    return `${fields.join('\r\n')}\r\n\r\n${head.startsWith('HEAD ') ? '' : body}`;
  });
  expect(answers).toEqual(expected);
  expect(router.stats()).toMatchObject({ refused: ALL.length, handedOver: 0 });
});

test('a HEAD that is refused gets no body', async () => {
  const { port } = await openRouter({ count: 1 });
  const answer = await exchange(port, 'HEAD / HTTP/1.1\r\nA: no Host\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^{]*\r\n\r\n$/);
});

test.each(['socket', 'passthru'] as const)(
  "mode %s: the router's own answer is a problem",
  async (mode) => {
    const { port, router } = await openRouter({ count: 1, mode });
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\r\ncontent-type: application\/problem\+json\r\n/is);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] as string)).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
    });
    expect(router.stats()).toMatchObject({ refused: 1 });
  },
);

test.each([
  ['no Host', 'GET / HTTP/1.1', 400],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b', 400],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok', 417],
  ['no Host, as HTTP/1.0 may', 'GET / HTTP/1.0', 200],
])('mode passthru answers a request with %s', async (_, head, status) => {
  const { port, router } = await openRouter({ count: 1, mode: 'passthru' });
  const answer = await exchange(port, `${head}\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(router.stats().refused).toBe(status === 200 ? 0 : 1);
  if (status !== 200) expect(answer).toContain(`"status":${status}}`);
});
