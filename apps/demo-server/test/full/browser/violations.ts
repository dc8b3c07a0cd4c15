import { AxeBuilder } from '@axe-core/playwright';
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
  const axe = new AxeBuilder({ page }).withTags(TAGS);
  const { violations } = await (forced ? axe.disableRules('color-contrast') : axe).analyze();
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
