import { html, type SafeHtml } from './html.ts';
import { logo } from './icons.ts';

/** Addresses of the assets of a page, as the browser asks for them. */
export interface PageAssets {
  readonly icon: string;
  /** The typeface; loaded before the style asks for it, so that nothing moves when it comes. */
  readonly font: string;
  readonly style: string;
  readonly script: string;
}

const LINKS = [
  ['/', 'Search'],
  ['/operator', 'Operator'],
  ['/docs', 'API'],
] as const;

/** Renders the beginning of a page, up to its content. */
export function pageStart(page: {
  readonly title: string;
  /** Path of the page among the links of the header; any other path is none of them. */
  readonly path: string;
  /** A page without a script is complete as it comes. */
  readonly assets: Omit<PageAssets, 'script'> & Partial<Pick<PageAssets, 'script'>>;
  /** Last in the head. */
  readonly head?: SafeHtml | undefined;
  /** Markup between the name of the demo and the links. */
  readonly middle?: SafeHtml | undefined;
}): SafeHtml {
  const { title, path, assets, head, middle } = page;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin><link rel="stylesheet" href="${assets.style}">
<link rel="icon" type="image/svg+xml" href="${assets.icon}">${
    assets.script !== undefined && html`<script type="module" src="${assets.script}"></script>`
  }${head}</head>
<body><a class="skip" href="#content">Skip to the content</a>
<header class="top"><div><a class="brand" href="/" aria-label="Ticketing, a new search">${logo}<span class="word">Ticketing</span></a>${middle}<nav class="nav" aria-label="Pages">${links(path)}</nav></div></header>
`;
}

/** Renders the end of a page. `credit`: of data that it shows. */
export function pageEnd(path: string, credit?: string): SafeHtml {
  return html`
<footer class="foot"><nav class="foot-nav" aria-label="Pages, again">${links(path)}</nav><p>Carriers, trains and fares are simulated.</p>${
    credit !== undefined && html`<p>${credit}</p>`
  }</footer></body></html>
`;
}

function links(path: string): readonly SafeHtml[] {
  return LINKS.map(
    ([to, text]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${text}</a>`,
  );
}
