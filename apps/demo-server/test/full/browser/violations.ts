import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Not waited for: in a closed part of a page they stand still, and never end. */
const END_GLIDES = `for (const glide of document.getAnimations())
  if (glide.effect.getTiming().iterations !== Infinity) glide.finish()`;

/** Settings of one look. */
interface Look {
  /** True where the system chooses the colours, so that contrast is not the page's. */
  readonly forced?: boolean;
  /** Selectors of the parts that are looked at. Default: the page. */
  readonly parts?: readonly string[];
  /** Rules that are looked for, by tag or id. Default: those of WCAG 2.2 AA, and good practice. */
  readonly only?: readonly string[];
}

/** What axe finds on the page as it is. */
export async function violationsOf(
  page: Page,
  { forced = false, parts, only = TAGS }: Look = {},
): Promise<{ readonly id: string; readonly nodes: readonly string[] }[]> {
  // Rows that still glide to their places lie over others.
  await page.evaluate(END_GLIDES);
  // A page gets the program once, and has no frames: one run sees all.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options: RunOptions = {
    runOnly: [...only],
    // What is right needs no names of its nodes, which are most of the work.
    resultTypes: ['violations'],
    ...(forced && { rules: { 'color-contrast': { enabled: false } } }),
  };
  const context = parts === undefined ? 'document' : JSON.stringify({ include: parts });
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${context}, ${JSON.stringify(options)})`,
  );
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
