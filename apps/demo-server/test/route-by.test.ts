import { expect, test } from 'vitest';
import { readFlags } from '../src/flags/read-flags.ts';
import { searchKey } from '../src/search/documents.ts';
import { affinityOf, routeBy } from '../src/serving/route-by.ts';
import { wormsKey } from '../src/worms/worm-answers.ts';

const NOON = Date.parse('2026-11-20T12:00Z');
const flagsOf = (...argv: string[]) => readFlags(['--accept', 'socket', ...argv], {}).flags;

test('searchKey() is the same for the same question, however it is asked', () => {
  const key = searchKey('/search?origin=Madrid&destination=Barcelona', NOON);
  expect(key).toEqual(expect.any(String));
  for (const target of [
    '/search?destination=Barcelona&origin=Madrid',
    '/search?origin=7160000&destination=uic%3A7171801',
    '/search?origin=Madrid&destination=Barcelona&date=2026-11-21',
    '/search?origin=Madrid&destination=Barcelona&passengers=1&order=departure',
  ]) {
    expect(searchKey(target, NOON), target).toBe(key);
  }
});

test.each(['&date=2026-11-22', '&passengers=2', '&order=price'])(
  'searchKey() is another one with %s',
  (more) => {
    const target = '/search?origin=Madrid&destination=Barcelona';
    expect(searchKey(target + more, NOON)).not.toBe(searchKey(target, NOON));
    expect(searchKey(target + more, NOON)).toEqual(expect.any(String));
  },
);

test.each([
  '/',
  '/search',
  '/compute?origin=Madrid&destination=Barcelona',
  '/search?origin=Madrid',
  '/search?origin=Nowhere&destination=Barcelona',
  '/search?origin=Madrid&origin=Madrid&destination=Barcelona',
  '/search?origin=Madrid&destination=Barcelona&class=first',
  '/search?origin=Madrid&destination=Barcelona&order=random',
  '/search?origin=%&destination=%ff',
  'http://elsewhere/search?origin=Madrid&destination=Barcelona',
])('searchKey(%j) is none: the least busy process says what is wrong', (target) => {
  expect(searchKey(target, NOON)).toBe(undefined);
});

test('routeBy() chooses by the head', () => {
  const head = { kind: 'http1', remoteAddress: undefined } as const;
  const header = (name: string) => (name === 'x-user' ? 'ana' : undefined);
  const target = '/search?origin=Madrid&destination=Barcelona';
  expect(routeBy(flagsOf())?.({ ...head, target })).toEqual({ key: expect.any(String) });
  expect(routeBy(flagsOf())?.({ ...head, kind: 'tls', sni: 'a.test' })).toBe(undefined);
  const byUser = routeBy(flagsOf('--route-by', 'header:x-user'));
  expect(byUser?.({ ...head, target, header })).toEqual({ key: 'ana' });
  expect(byUser?.({ ...head, target, header: () => undefined })).toBe(undefined);
  expect(routeBy(flagsOf('--route-by', 'none'))).toBe(undefined);
});

test('affinityOf() forwards where later requests can be seen', () => {
  expect(affinityOf(flagsOf())).toBe('forward');
  expect(affinityOf(flagsOf('--route-by', 'none'))).toBe('connection');
  expect(affinityOf(flagsOf('--tls-cert', 'a', '--tls-key', 'b'))).toBe('connection');
});

test.each([
  ['/api/v1/worms/utilize', expect.any(String)],
  ['/api/v1/worms/', undefined],
  ['/api/v1/worms/a/b', undefined],
  ['/api/v1/worms/%', undefined],
  ['/api/v2/worms/utilize', undefined],
])('wormsKey(%j)', (target, key) => {
  expect(wormsKey(target)).toEqual(key);
});

test('wormsKey() is the same for the same class, however it is written', () => {
  expect(wormsKey('/api/v1/worms/%75tilize')).toBe(wormsKey('/api/v1/worms/utilize'));
  expect(wormsKey('/api/v1/worms/adapt')).not.toBe(wormsKey('/api/v1/worms/utilize'));
});
