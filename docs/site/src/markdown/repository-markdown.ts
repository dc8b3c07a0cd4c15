import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { pagesOf } from '../pages/sections.ts';
import { root } from '../repository.ts';
import { fillCharts, placeForCharts } from './charts.ts';
import { targetOf } from './links.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** Returns the path of the Markdown that is rendered, relative to the root of the repository. */
function fileOf(env: { realPath?: string; path?: string }): string {
  return relative(root, env.realPath ?? env.path ?? root);
}

/** Lets VitePress render the Markdown of the repository as it is: its links, titles of code blocks, wide tables and charts. */
export function repositoryMarkdown(markdown: MarkdownRenderer): void {
  // `<!-- pages: guides -->` is a list of them.
  markdown.core.ruler.before('normalize', 'page-lists', (state) => {
    state.src = state.src.replaceAll(/<!-- pages: (\w+) -->/g, (_, section: string) =>
      pagesOf(section)
        .map(({ title, route }) => `- [${title}](/${route})`)
        .join('\n'),
    );
  });
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const token of tokens) {
      relativePictures([token, ...(token.children ?? [])]);
      resolveLinks(token.children ?? [], fileOf(env));
    }
  });
  markdown.core.ruler.push('charts', (state) => {
    const file = fileOf(state.env);
    if (!/^(docs\/measurements|experiments)\//.test(file)) return;
    state.tokens = state.tokens.flatMap((token, index) => {
      if (token.type !== 'table_open') return [token];
      const charts = new state.Token('html_block', '', 0);
      charts.content = placeForCharts(cellsOf(state.tokens, index));
      return charts.content === '' ? [token] : [charts, token];
    });
  });
  const render = markdown.renderAsync.bind(markdown);
  markdown.renderAsync = async (source, env) => fillCharts(await render(source, env));
  titleBlocks(markdown);
  const { renderer } = markdown;
  // A table that is wider than the page scrolls, also by keys.
  renderer.rules['table_open'] = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  // A head without text is no head.
  markdown.core.ruler.push('empty-heads', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue;
      token.tag = 'td';
      (tokens[index + 2] as Token).tag = 'td';
    }
  });
  renderer.rules['table_close'] = () => '</table></div>\n';
}

function resolveLinks(tokens: Token[], file: string): void {
  let asText = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = targetOf(String(token.attrGet('href')), file);
      asText = target.kind === 'file' && target.href === undefined;
      if (asText && target.kind === 'file') {
        token.type = 'source_open';
        token.tag = 'span';
        token.attrs = [
          ['class', 'source'],
          ['title', `${target.path} in the repository`],
        ];
      } else token.attrSet('href', target.href ?? '');
    } else if (token.type === 'link_close' && asText) {
      token.type = 'source_close';
      token.tag = 'span';
    }
  }
}

/** Vite takes a picture of HTML for a package unless its path begins with a dot. */
function relativePictures(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') {
      token.content = token.content.replaceAll(/\b(src|srcset)="(?![./]|\w+:)/g, '$1="./');
    }
  }
}

/** Shows `title=src/server.js` after the language of a code block above it. */
function titleBlocks({ renderer, utils }: MarkdownRenderer): void {
  const fence = renderer.rules.fence;
  renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index] as Token;
    const title = /\btitle=(\S+)/.exec(token.info)?.[1];
    token.info = token.info.replace(/\s*\btitle=\S+/, '');
    const block = fence?.(tokens, index, ...rest) ?? '';
    if (title === undefined) return block;
    return `<div class="titled-block"><div class="block-title">${utils.escapeHtml(title)}</div>${block}</div>`;
  };
}

/** Returns the texts of a table's cells by row; the head is the first. */
function cellsOf(tokens: readonly Token[], from: number): string[][] {
  const rows: string[][] = [];
  for (const { type, content } of tokens.slice(from)) {
    if (type === 'table_close') break;
    if (type === 'tr_open') rows.push([]);
    if (type === 'inline') rows.at(-1)?.push(content);
  }
  return rows;
}
