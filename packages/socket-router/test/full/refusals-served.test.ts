import { expect, test } from 'vitest';
import { exchange } from '../clients.ts';
import { OTHER_REFUSALS, SMUGGLING_SHAPES } from '../fixtures/head-refusals.ts';
import { openRouter } from '../router-fixture.ts';

const ALL = [...SMUGGLING_SHAPES, ...OTHER_REFUSALS];
/** Spaces and tabs that no worker sees, because the router rewrites the head; and lines before the head. */
const HARMLESS_TO_PROXY = [
  'CL with a tab behind',
  'TE with a tab before',
  'TE with a tab behind',
  'an upgrade with a tab behind',
  'an upgrade with a tab before',
  'a leading LF',
  'a leading CR',
  'two blanks',
];
/** Closed without an answer: Node has no more to say to a CONNECT without a listener. */
const CONNECT = /^CONNECT /;
/** No end, and no request: until the timeout. */
const NEVER_WHOLE = ['empty lines without end'];

test('mode passthru refuses what mode socket refuses, except spaces and tabs that it rewrites', async () => {
  const { port, router } = await openRouter({ mode: 'passthru', count: 1 });
  const shapes = ALL.filter(([shape]) => ![...HARMLESS_TO_PROXY, ...NEVER_WHOLE].includes(shape));
  const taken: string[] = [];
  for (const [shape, head, status] of shapes) {
    const answer = await exchange(port, Buffer.from(head, 'latin1'));
    // Node refuses some itself, with 400 for what is an unknown coding or method to us.
    const isRefused = new RegExp(`^HTTP/1\\.1 (${status}|400|431) `).test(answer);
    if (!isRefused && !(CONNECT.test(head) && answer === '')) taken.push(`${shape}: ${answer}`);
  }
  expect(taken).toEqual([]);
  expect(router.stats().handedOver).toBe(0);
});
