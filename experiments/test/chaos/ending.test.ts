import { expect, test } from 'vitest';
import { questionsFrom } from '../../chaos/load/questions.ts';
import type { PlannedRequest } from '../../chaos/load/requests.ts';
import { endingOf } from '../../chaos/load/run-load.ts';
import { createTruth } from '../../chaos/truth/expected-lines.ts';

const truth = createTruth('1');
const [question] = questionsFrom(Date.parse('2026-12-01T12:00:00Z'));
const planned: PlannedRequest = {
  ...{ id: 1, dueMs: 0, route: 'worms', client: 'kept', target: '/x', accept: '*/*', bodyBytes: 0 },
  echo: 'weave',
};
const answer = (text: string, status = 200, headers = {}) =>
  ({ how: 'answered', status, headers, text }) as const;
const worms = (name: string, count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, class: name })));

test('endingOf() finds documents of another class, and too few', () => {
  expect(endingOf(planned, answer(worms('weave', 10)), truth)).toEqual({
    how: 'answered',
    status: 200,
  });
  expect(endingOf(planned, answer(worms('view', 10)), truth)).toMatchObject({
    wrong: expect.stringContaining('asked for weave'),
  });
  expect(endingOf(planned, answer(worms('weave', 3)), truth)).toMatchObject({
    wrong: 'asked for weave, got 3 documents',
  });
});

test('endingOf() finds what does not repeat what was sent', () => {
  const sink = { ...planned, route: 'sink', echo: '"bytes":7' } as const;
  expect(endingOf(sink, answer('{"bytes":7}'), truth)).not.toHaveProperty('wrong');
  expect(endingOf(sink, answer('{"bytes":8}'), truth)).toHaveProperty('wrong');
});

test('endingOf() finds half a document, and a status that no fault explains', () => {
  const search = { ...planned, route: 'search', question } as PlannedRequest;
  expect(endingOf(search, answer('{"journeys":['), truth)).toHaveProperty('wrong');
  expect(endingOf(search, answer('{}', 400), truth)).toHaveProperty('wrong');
  expect(
    endingOf(search, answer('{}', 503, { 'retry-after': '1', 'x-worker': '7' }), truth),
  ).toEqual({
    ...{ how: 'answered', status: 503, retryAfter: '1', worker: '7' },
  });
});

test('endingOf() leaves other ends of a request as they are', () => {
  for (const exchange of [
    { how: 'refused' },
    { how: 'cut', code: 'ECONNRESET' },
    { how: 'left', answering: true },
  ] as const) {
    expect(endingOf(planned, exchange, truth)).toEqual(exchange);
  }
});
