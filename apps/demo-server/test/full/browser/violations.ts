import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const GLIDES_END = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
  .map(({ finished }) => finished))`;

/** What axe finds on the page as it is. `forced`: the system chooses the colours, so contrast is not the page's. */
export async function violationsOf(
  page: Page,
  { forced = false }: { readonly forced?: boolean } = {},
): Promise<{ readonly id: string; readonly nodes: readonly string[] }[]> {
  // Rows that still glide to their places lie over others.
  await page.evaluate(GLIDES_END);
  // A page gets the program once, and has no frames: one run sees all.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options: RunOptions = {
    runOnly: TAGS,
    // What is right needs no names of its nodes, which are most of the work.
    resultTypes: ['violations'],
    ...(forced && { rules: { 'color-contrast': { enabled: false } } }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
