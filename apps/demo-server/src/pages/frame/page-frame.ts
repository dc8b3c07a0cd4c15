import { html, type SafeHtml } from './html.ts';

/** Addresses of the assets of a page, as the browser asks for them. */
export interface PageAssets {
  readonly icon: string;
  readonly style: string;
  readonly script: string;
}

const LINKS = [
  ['/', 'Search'],
  ['/operator', 'Operator'],
  ['/stats', 'Counters'],
  ['/docs', 'API'],
] as const;

/** The beginning of a page, up to its content. */
export function pageStart(page: {
  readonly title: string;
  readonly path: string;
  /** A page without a script is complete as it comes. */
  readonly assets: Omit<PageAssets, 'script'> & Partial<Pick<PageAssets, 'script'>>;
  /** Last in the head. */
  readonly head?: SafeHtml | undefined;
}): SafeHtml {
  const { title, path, assets, head } = page;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${assets.icon}"><link rel="stylesheet" href="${assets.style}">
${assets.script !== undefined && html`<script type="module" src="${assets.script}"></script>`}${head}</head>
<body><a class="skip" href="#content">Skip to the content</a>
<header><nav aria-label="Pages"><ul>${LINKS.map(
    ([to, text]) =>
      html`<li><a href="${to}"${to === path && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav></header>
`;
}

/** The end of a page. */
export const pageEnd: SafeHtml = html`
<footer><p>Carriers, trains and fares are simulated.</p></footer></body></html>
`;
