import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Health, healthOf } from '../src/trends/health.ts';
import { createRates } from '../src/trends/rates.ts';
import errors from './recorded/errors.json' with { type: 'json' };
import hang from './recorded/hang.json' with { type: 'json' };
import kill from './recorded/kill.json' with { type: 'json' };
import { changeOf, type Recorded, viewsOf, withChange } from './recorded-views.ts';

/** Conditions in each view that was recorded: the phase, and words. */
function healthIn(recorded: unknown, { notes = false } = {}) {
  const rates = createRates();
  let health: Health | undefined;
  return [...viewsOf(recorded as Recorded)].map(([phase, view]) => {
    rates.add(view);
    health = healthOf(view, rates, health);
    const words = health.conditions
      .filter(({ severity }) => notes || severity !== 'note')
      .map(({ name, says }) => `${name} ${says}`);
    return { phase, words: words.join(', ') || 'All well' };
  });
}

/** Words that differ from those before, with the number of views that have them. */
function runs(all: readonly { readonly words: string }[]): [string, number][] {
  const found: [string, number][] = [];
  for (const { words } of all) {
    const last = found.at(-1);
    if (last?.[0] === words) last[1] += 1;
    else found.push([words, 1]);
  }
  return found;
}

test.each<[string, unknown]>([
  ['four task workers', hang],
  ['one process', errors],
  ['two servers of two task workers each', kill],
])('%s: an idle server and one under 20 searches a second are well', (_, recorded) => {
  const calm = healthIn(recorded).filter(({ phase }) => phase === 'idle' || phase === 'load');
  expect(calm.length).toBeGreaterThanOrEqual(14);
  expect(runs(calm)).toEqual([['All well', calm.length]]);
});

test.each<[string, unknown, string]>([
  ['hang', hang, 'Renfe hangs'],
  ['errors', errors, 'Renfe fails'],
])(
  '%s: one condition, within five views, and gone within ten after a reset',
  (phase, recorded, words) => {
    const all = healthIn(recorded);
    expect(runs(all).map(([each]) => each)).toEqual(['All well', words, 'All well']);
    const during = runs(all.filter((each) => each.phase === phase));
    expect(during[0]?.[1]).toBeLessThanOrEqual(5);
    const [still, ...well] = runs(all.filter((each) => each.phase === 'reset'));
    expect([still?.[0], well.map(([each]) => each)]).toEqual([words, ['All well']]);
    expect(still?.[1]).toBeLessThan(10);
  },
);

test('processes that are killed and replaced are starts and ends: all is well', () => {
  const all = healthIn(kill);
  expect(runs(all)).toEqual([['All well', all.length]]);
  const notes = (phase: string) =>
    healthIn(kill, { notes: true })
      .filter((each) => each.phase === phase)
      .map(({ words }) => words)
      .join();
  expect(notes('killed task')).toContain('task-0 of server-0 starts');
  expect(notes('killed server')).toContain('server-1 starts');
  expect(notes('reload')).toMatch(/server-0 starts/);
});

test('changes of a value and the value before make the value', () => {
  const figure = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer(), { maxLength: 3 }));
  const row = fc.dictionary(fc.constantFrom('a', 'b', 'c'), figure);
  const value = fc.record({ at: fc.integer(), rows: fc.array(row, { maxLength: 3 }) });
  fc.assert(
    fc.property(value, value, (before, now) => {
      const change = changeOf(before, now);
      expect(change === undefined ? before : withChange(before, change)).toEqual(now);
    }),
  );
});
