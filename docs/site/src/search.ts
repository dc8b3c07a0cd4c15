import type { DefaultTheme, MarkdownRenderer } from 'vitepress';

/** Settings of the search, which runs in the browser over an index that is built with the site. */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  // Part of it shows the section itself, and would load each page of the results.
  detailedView: false,
  _render: async (source, env, markdown: MarkdownRenderer) => {
    const html = await markdown.renderAsync(withoutLanguages(withoutComments(source)), env);
    return html.replaceAll(/<div class="charts".*?<\/div>/gs, '');
  },
  miniSearch: {
    searchOptions: {
      fuzzy: 0.1,
      prefix: true,
      boost: { title: 6, titles: 2, text: 1 },
      // Runs in the browser: refers to nothing outside of it.
      boostDocument: (id) => {
        const [, section = '', page = ''] = /^\/(?:(\w+)\/)?(.*)$/.exec(id) ?? [];
        const weights: Record<string, number> = {
          guides: 4,
          migrating: 4,
          packages: 2,
          reference: 1.5,
          examples: 1,
          api: 0.25,
          measurements: 0.25,
        };
        // The page itself is before its sections.
        const isSection = page.includes('#');
        return (weights[section] ?? 0.5) * (isSection ? 1 : 1.5);
      },
    },
  },
};

/** Returns Markdown whose code has no language: the index needs the words of code, not the slow colouring of it. */
function withoutLanguages(source: string): string {
  return source.replaceAll(/^(\s*```)\w.*$/gm, '$1text');
}

function withoutComments(source: string): string {
  return source.replaceAll(/<!--(?! pages:).*?-->/gs, '');
}
