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
  const expected = ALL.map(
    ([, , status]) =>
      `HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  expect(answers).toEqual(expected);
  expect(router.stats()).toMatchObject({ refused: ALL.length, handedOver: 0 });
});
