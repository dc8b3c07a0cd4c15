import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { describeInBrowser, sharedBrowser } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

/** Functions that make markup and update a page with it, as globals of a page. */
const PROGRAM = buildSync({
  stdin: {
    contents: `
      import { html } from './frame/html.ts';
      import { patch } from './browser/dom/patch.ts';
      const rowOf = ({ key, kind, name, value, cells, isOpen }) => kind === 'item'
        ? html\`<li data-key="\${key}" class="\${value}"\${isOpen && html\` hidden\`}><b>\${name}</b> \${value}<svg width="\${cells.length}"><rect data-at="\${value}" y="0"/></svg></li>\`
        : html\`<li data-key="\${key}"><ul>\${cells.map((cell) => html\`<li title="\${name}">\${cell}</li>\`)}</ul>\${isOpen && html\`<p>\${name}</p>\`}</li>\`;
      globalThis.differences = (states) => {
        const host = document.createElement('ul');
        const faults = [];
        for (const rows of states) {
          const markup = html\`\${rows.map(rowOf)}\`;
          patch(host, markup);
          const fresh = document.createElement('ul');
          fresh.innerHTML = String(markup);
          if (!host.isEqualNode(fresh)) faults.push([host.innerHTML, fresh.innerHTML]);
        }
        return faults;
      };
      globalThis.isKept = (first, second) => {
        const host = document.createElement('ul');
        document.body.append(host);
        patch(host, html\`\${first.map(rowOf)}\`);
        const [row] = host.children;
        patch(host, html\`\${second.map(rowOf)}\`);
        return [...host.children].includes(row);
      };`,
    resolveDir: fileURLToPath(new URL('../../../src/pages/', import.meta.url)),
    loader: 'ts',
  },
  bundle: true,
  write: false,
  format: 'iife',
}).outputFiles[0]?.text;

const TEXTS = ['a', '1.5', '<b>', '"', "'", '&amp;', 'é → ü', ' ', ''] as const;
const text = fc.constantFrom(...TEXTS);
/** The next text: of as many tags, but for the last. */
const next = (one: string): string => TEXTS[(TEXTS.indexOf(one as 'a') + 1) % TEXTS.length] ?? '';
const rows = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    kind: fc.constantFrom('item', 'group'),
    name: text,
    value: text,
    cells: fc.array(text, { maxLength: 3 }),
    isOpen: fc.boolean(),
  }),
  { selector: ({ key }) => key, maxLength: 5 },
);

describeInBrowser('patch()', () => {
  const browser = sharedBrowser();

  test('after any updates an element has what its markup makes anew', async () => {
    const page = await browser.open();
    await page.addScriptTag({ content: PROGRAM ?? '' });
    const stories = fc.sample(fc.array(rows, { minLength: 2, maxLength: 6 }), {
      numRuns: 500,
      seed: 20261127,
    });
    // Each state again with other texts alone: then nothing is parsed.
    const told = stories.map((states) =>
      states.flatMap((state) => [
        state,
        state.map((row) => ({
          ...row,
          name: next(row.name),
          value: next(row.value),
          cells: row.cells.map(next),
        })),
      ]),
    );
    const faults = await page.evaluate(
      `${JSON.stringify(told)}.flatMap((states) => differences(states))`,
    );
    expect(faults).toEqual([]);
  });

  test('a row keeps its element while its text changes and others come before it', async () => {
    const page = await browser.open();
    await page.addScriptTag({ content: PROGRAM ?? '' });
    const row = { key: 'a', kind: 'item', name: 'n', value: '1', cells: [], isOpen: false };
    const later = [
      { ...row, key: 'b' },
      { ...row, value: '2' },
    ];
    expect(await page.evaluate(`isKept(${JSON.stringify([row])}, ${JSON.stringify(later)})`)).toBe(
      true,
    );
  });
});
