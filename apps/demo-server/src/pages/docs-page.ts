import { html, type SafeHtml } from './frame/html.ts';
import { type PageAssets, pageEnd, pageStart } from './frame/page-frame.ts';

/** Renders the page of the API, whose script fills it by Swagger UI. `files`: where the style and the script of that are. */
export function docsPage({
  assets,
  path,
  files,
}: {
  readonly assets: PageAssets;
  readonly path: string;
  readonly files: string;
}): SafeHtml {
  // Swagger UI has a `main` of its own.
  const head = html`<link rel="stylesheet" href="${files}/swagger-ui.css"><script defer src="${files}/swagger-ui-bundle.js"></script>`;
  return html`${pageStart({ title: 'API · Ticketing', path, assets, head })}<section id="content" aria-label="API" data-document="${path}/json"><noscript><p>Without script, the same is at <a href="/openapi.json">/openapi.json</a>.</p></noscript><div id="swagger-ui"></div></section>${pageEnd(path)}`;
}
