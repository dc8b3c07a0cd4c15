import { expect, test } from 'vitest';
import { kinds } from '../src/answers/kinds.ts';
import { routeFunction } from '../src/answers/route-function.ts';
import { usualHubs } from '../src/flags/hub-values.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { createPageTokens } from '../src/search/page-tokens.ts';
import { SearchParameters } from '../src/search/search-parameters.ts';
import { routeLaterRequests } from '../src/serving/server-processes.ts';
import { ASKED } from './demo.ts';

const pageTokens = createPageTokens('a key of these tests');
const CONTEXT = {
  nowMs: Date.parse('2026-11-20T12:00Z'),
  carriers: ASKED,
  hubs: usualHubs,
  pageTokens,
};
const wormKey = (target: string) => kinds.worms.keyOfTarget(target, CONTEXT);
const flagsOf = (...argv: string[]) => readFlags(['--accept', 'socket', ...argv], {}).flags;

test('kinds.document.keyOfTarget() is the same for the same question, however it is asked', () => {
  const key = kinds.document.keyOfTarget('/search?origin=Atocha&destination=Barcelona', CONTEXT);
  expect(key).toEqual(expect.any(String));
  for (const target of [
    '/search?destination=Barcelona&origin=Atocha',
    '/search?origin=7160000&destination=uic%3A7171801',
    '/search?origin=Atocha&destination=Barcelona&date=2026-11-21',
    '/search?origin=Atocha&destination=Barcelona&passengers=1&order=departure',
    '/search?origin=Atocha&destination=Barcelona&carriers=avlo,Ouigo,renfe',
    '/search?origin=Atocha&destination=Barcelona&arriveBy=0&ages=&cards=',
    '/search?origin=Atocha&destination=Barcelona&maxPrice=50&departAfter=06:00&departBefore=12:00',
    '/search?origin=Atocha&destination=Barcelona&arriveBefore=20:00&direct=1&flexible=1&facets=1',
  ]) {
    expect(kinds.document.keyOfTarget(target, CONTEXT), target).toBe(key);
  }
});

test('kinds.document.keyOf() is the same for adults as a number and as a list, and makes no list of a large number', () => {
  const place = { zone: 'Europe/Madrid', country: 'ES', latitude: 40, longitude: 0, codes: {} };
  const [origin, destination] = ['a', 'b'].map((id) => ({ id, name: id, ...place }));
  const keyOf = (passengers: number | readonly object[]) =>
    kinds.document.keyOf({
      query: { origin, destination, date: '2026-12-01', passengers } as never,
      order: 'departure',
    });
  expect(keyOf([{}, {}])).toBe(keyOf(2));
  expect(keyOf([{}, { age: 8 }])).not.toBe(keyOf(2));
  expect(keyOf(1e9)).toEqual(expect.any(String));
});

const PAGE = pageTokens.seal({ v: 1, query: 'q', direction: 'later', byCarrier: {} });
test.each([
  '&date=2026-11-22',
  '&passengers=2',
  '&order=price',
  '&carriers=renfe',
  '&time=08:30',
  '&time=08:30&arriveBy=1',
  '&via=Zaragoza',
  '&maxTransfers=1',
  '&class=first',
  '&ages=8',
  '&cards=BC50',
  '&split=1',
  `&page=${PAGE}`,
])('kinds.document.keyOfTarget() is another one with %s', (more) => {
  const target = '/search?origin=Atocha&destination=Barcelona';
  expect(kinds.document.keyOfTarget(target + more, CONTEXT)).not.toBe(
    kinds.document.keyOfTarget(target, CONTEXT),
  );
  expect(kinds.document.keyOfTarget(target + more, CONTEXT)).toEqual(expect.any(String));
});

test('kinds.document.keyOfTarget() is the same for the same carriers, in any order', () => {
  const target = '/search?origin=Atocha&destination=Barcelona&carriers=';
  const key = kinds.document.keyOfTarget(`${target}renfe,avlo`, CONTEXT);
  for (const other of ['avlo,renfe', 'avlo%2C%20RENFE', 'renfe,avlo,renfe']) {
    expect(kinds.document.keyOfTarget(target + other, CONTEXT), other).toBe(key);
  }
});

test.each([
  '/',
  '/search',
  '/compute?origin=Atocha&destination=Barcelona',
  '/search?origin=Atocha',
  '/search?origin=Nowhere&destination=Barcelona',
  '/search?origin=Atocha&origin=Atocha&destination=Barcelona',
  '/search?origin=Atocha&destination=Barcelona&colour=red',
  '/search?origin=Atocha&destination=Barcelona&page=x',
  `/search?origin=Atocha&destination=Barcelona&page=${PAGE.slice(0, -1)}`,
  `/search?origin=Atocha&destination=Barcelona${'&'.repeat(Object.keys(SearchParameters.properties).length - 1)}`,
  `/search?origin=Atocha&destination=Barcelona&cards=${'x'.repeat(201)}`,
  '/search?origin=Atocha&destination=Barcelona&ages=1&passengers=2',
  '/search?origin=Atocha&destination=Barcelona&order=random',
  '/search?origin=Atocha&destination=Barcelona&carriers=',
  '/search?origin=Atocha&destination=Barcelona&carriers=renfe,db',
  '/search?origin=%&destination=%ff',
  'http://elsewhere/search?origin=Atocha&destination=Barcelona',
])(
  'kinds.document.keyOfTarget(%j) is none: the least busy process says what is wrong',
  (target) => {
    expect(kinds.document.keyOfTarget(target, CONTEXT)).toBe(undefined);
  },
);

test('routeFunction() chooses by the head', () => {
  const head = { kind: 'http1', remoteAddress: undefined } as const;
  const header = (name: string) => (name === 'x-user' ? 'ana' : undefined);
  const target = '/search?origin=Atocha&destination=Barcelona';
  expect(routeFunction(flagsOf())?.({ ...head, target })).toEqual({ key: expect.any(String) });
  expect(routeFunction(flagsOf())?.({ ...head, kind: 'tls', sni: 'a.test' })).toBe(undefined);
  const byUser = routeFunction(flagsOf('--route-by', 'header:x-user'));
  expect(byUser?.({ ...head, target, header })).toEqual({ key: 'ana' });
  expect(byUser?.({ ...head, target, header: () => undefined })).toBe(undefined);
  expect(routeFunction(flagsOf('--route-by', 'none'))).toBe(undefined);
});

test('routeLaterRequests() forwards where later requests can be seen', () => {
  expect(routeLaterRequests(flagsOf())).toBe('forward');
  expect(routeLaterRequests(flagsOf('--route-by', 'none'))).toBe('connection');
  expect(routeLaterRequests(flagsOf('--tls-cert', 'a', '--tls-key', 'b'))).toBe('connection');
});

test.each([
  ['/api/v1/worms/utilize', expect.any(String)],
  ['/api/v1/worms/', undefined],
  ['/api/v1/worms/a/b', undefined],
  ['/api/v1/worms/%', undefined],
  ['/api/v2/worms/utilize', undefined],
])('kinds.worms.keyOfTarget(%j)', (target, key) => {
  expect(kinds.worms.keyOfTarget(target, CONTEXT)).toEqual(key);
});

test('kinds.worms.keyOfTarget() is the same for the same class, however it is written', () => {
  expect(wormKey('/api/v1/worms/%75tilize')).toBe(wormKey('/api/v1/worms/utilize'));
  expect(wormKey('/api/v1/worms/adapt')).not.toBe(wormKey('/api/v1/worms/utilize'));
});
