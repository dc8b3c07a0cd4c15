// A guide is a page that runs: its titled code blocks are files, its `sh` blocks are commands, a `text` block after one is its output.

/**
 * Returns the steps of a guide, in order: `{ kind: 'file', path, text }`, `{ kind: 'commands', text, line }` or
 * `{ kind: 'output', text }`, which is of the commands before it. Blocks in an HTML comment are steps, too, that readers do not see.
 * @param {string} page Markdown
 */
export function stepsOf(page) {
  const steps = [];
  for (const { 1: info, 2: text, index } of page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const line = page.slice(0, index).split('\n').length;
    const [language] = info.split(' ');
    const path = /\btitle=(\S+)/.exec(info)?.[1];
    if (path !== undefined) steps.push({ kind: 'file', path, text });
    else if (language === 'sh') steps.push({ kind: 'commands', text, line });
    else if (language === 'text') steps.push({ kind: 'output', text });
  }
  return steps;
}

/**
 * Returns the settings in a guide's `<!-- run: nodes=20,26 timeout=180 -->`: the Node versions it runs on (default 20 and 26) and
 * its seconds (default 180); `undefined` if the page has no such comment, and so is no guide that runs.
 * @param {string} page Markdown
 */
export function settingsOf(page) {
  const comment = /<!-- run:([^>]*)-->/.exec(page)?.[1];
  if (comment === undefined) return undefined;
  const settings = Object.fromEntries(
    comment
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.split('=')),
  );
  const { nodes = '20,26', timeout = '180', ...unknown } = settings;
  const [name] = Object.keys(unknown);
  if (name !== undefined) {
    throw new Error(`Unknown setting \`${name}\` of a guide: it must be nodes or timeout`);
  }
  return { nodes: nodes.split(','), timeoutSeconds: Number(timeout) };
}

/** Returns the lines of the expected output that the printed one lacks, in order. `…` in a line stands for anything. */
export function missingLines(expected, printed) {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let from = 0;
  return expected
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && line !== '…')
    .filter((line) => {
      const found = lines.findIndex((each, index) => index >= from && isLike(each, line));
      if (found >= 0) from = found + 1;
      return found < 0;
    });
}

function isLike(line, pattern) {
  let rest = line;
  const parts = pattern.split('…');
  for (const [index, part] of parts.entries()) {
    const at =
      index === parts.length - 1 && index > 0 ? rest.lastIndexOf(part) : rest.indexOf(part);
    if (at < 0 || (index === 0 && at > 0)) return false;
    rest = rest.slice(at + part.length);
  }
  return rest === '' || pattern.endsWith('…');
}
