import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

// Files that Git has or would take.
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)));
const paths = new Set(files.flatMap((path) => [path, ...parentsOf(path)]));
const namesOfFiles = new Set(files.map((path) => basename(path)));
const manifests = new Map(
  files
    .filter((path) => /^(?:packages|internal|apps)\/[^/]+\/package\.json$/.test(path))
    .map((path) => [
      JSON.parse(read(path)).name,
      { folder: dirname(path), ...JSON.parse(read(path)) },
    ]),
);
const { scripts } = JSON.parse(read('package.json'));

// Those of fixtures and changelogs are of their time.
const pages = files.filter(
  (path) => path.endsWith('.md') && !/CHANGELOG|^\.changeset\/|\/fixtures\//.test(path),
);

function parentsOf(path) {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/** Returns the text of a page without its blocks of code. */
function proseOf(page) {
  return read(page).replaceAll(/^```.*?^```$/gms, '');
}

/** Returns the anchors of a page's headings. */
function anchorsOf(page) {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
  return new Set(headings);
}

/** Returns the links of a page that lead to no file, or to no heading. */
function lostLinks(page) {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`(?!\])/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path, anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
    if (!paths.has(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
  });
}

// A guide names files of its reader's project, and runs.
const isGuide = (page) => /^docs\/(?:guides|migrating)\//.test(page);

/** Returns the paths in backticks that name no file: from the root, from the page, or as `core/search/search.ts` of a package. */
function lostPaths(page) {
  if (isGuide(page)) return [];
  const folders = /^(?:packages|apps|docs|scripts|internal|examples|experiments)\//;
  const named = [...proseOf(page).matchAll(/`([\w@.-]+(?:\/[\w.-]+)+|[\w.-]+\.(?:ts|mjs))`/g)];
  return named
    .map(([, path]) => path)
    .filter((path) => folders.test(path) || /\.(?:ts|mjs)$/.test(path))
    .filter((path) => !isKnown(path, page));
}

function isKnown(path, page) {
  if (paths.has(path) || paths.has(normalize(join(dirname(page), path)))) return true;
  if (!path.includes('/')) return namesOfFiles.has(path) || ofReaders.has(path);
  const [owner] = path.split('/');
  const below = ['packages', 'internal'].map((folder) => `${folder}/${owner}/src/`);
  return files.some(
    (file) =>
      file.endsWith(`/${path}`) ||
      (basename(file) === basename(path) && below.some((folder) => file.startsWith(folder))),
  );
}

/** Files of a reader's own program. */
const ofReaders = new Set(['x.scaled.test.ts', 'main.ts', 'server.mjs']);

/** Returns the commands of a page that no manifest has. */
function lostCommands(page) {
  const text = read(page);
  const ours = /^(?:install|exec|pack|publish|add|vitest|run|why|audit|i|dlx)$/;
  return [
    ...[...text.matchAll(/(?:^|`)pnpm ([a-z][\w:-]*)/gm)]
      .filter(([, name]) => !(name in scripts) && !ours.test(name))
      .map(([line]) => line),
    ...[...text.matchAll(/pnpm --filter (\S+) ([\w:-]+)/g)]
      .filter(([, name, script]) => !(script in (manifests.get(name)?.scripts ?? {})))
      .map(([line]) => line),
    ...[...text.matchAll(/node (scripts\/\S+\.mjs)/g)]
      .filter(([, path]) => !paths.has(path))
      .map(([line]) => line),
  ];
}

/** Returns what the snippets of a page import of our packages and these do not export. */
function lostImports(page) {
  const imports = /import (?:type )?\{([^}]*)\} from '(@ticketing\/[a-z-]+)(\/[\w/-]+)?'/g;
  return [...read(page).matchAll(imports)].flatMap(([, list, name, path = '']) => {
    const { folder, exports: entries } = manifests.get(name) ?? {};
    const entry = entries?.[`.${path}`];
    if (entry === undefined) return [`${name}${path}`];
    const source = read(join(folder, entry['@ticketing/source'] ?? entry));
    const wanted = list.split(',').map(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0],
    );
    return wanted.filter((one) => one !== '' && !new RegExp(`\\b${one}\\b`).test(source));
  });
}

describe('pages agree with the repository', () => {
  test.each([
    ['links', lostLinks],
    ['paths', lostPaths],
    ['commands', lostCommands],
    ['imports', lostImports],
  ])('%s', (_kind, lost) => {
    expect(pages.length).toBeGreaterThan(100);
    const all = pages.flatMap((page) => lost(page).map((one) => `${page}: ${one}`));
    expect(all).toEqual([]);
  });

  test('names of our packages', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/@ticketing\/([a-z-]+)/g)].map(([name]) => name),
    );
    // An export condition, and a package that a reader may write.
    const others = ['@ticketing/source'];
    expect(
      [...new Set(named)].filter((name) => !manifests.has(name) && !others.includes(name)),
    ).toEqual([]);
  });
});

test('each file that the map names exists', () => {
  const named = [
    ...read('AGENTS.md').matchAll(/(?<![\w*<>.])((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs))\b/g),
  ];
  expect(named.length).toBeGreaterThan(150);
  expect(named.map(([, path]) => path).filter((path) => !isKnown(path, 'AGENTS.md'))).toEqual([]);
});

test('each README of a package and of the demo has at most 900 words, and no wide line outside of tables', () => {
  const readmes = pages.filter((page) => /^(?:(?:packages|apps)\/[^/]+\/)?README\.md$/.test(page));
  expect(readmes.length).toBeGreaterThan(16);
  for (const readme of readmes) {
    const text = read(readme);
    expect(text.split(/\s+/).length, readme).toBeLessThanOrEqual(900);
    const lines = text.split('\n');
    expect(
      lines.filter((line) => line.length > 300 && !line.startsWith('|')),
      readme,
    ).toEqual([]);
    const cells = lines.filter((line) => line.startsWith('|')).flatMap((line) => line.split('|'));
    expect(
      cells.filter((cell) => cell.trim().length > 160),
      readme,
    ).toEqual([]);
  }
});

test('line counts in the decision about dependencies match the files within a quarter', () => {
  const rows = read('docs/decisions/0001-runtime-dependencies.md').matchAll(
    /^\| (?:demo, )?`([\w./-]+\.ts)` .*?(\d+) lines/gm,
  );
  let counted = 0;
  for (const [, path, stated] of rows) {
    const name = `/${path.split('/').slice(-1)[0]}`;
    const owner = path.split('/')[0];
    const candidates = files.filter((file) => file.endsWith(name) && !file.includes('/test/'));
    const file =
      candidates.find((one) => one.endsWith(`/${path}`)) ??
      candidates.find((one) => one.includes(`/${owner}/src/`));
    const lines = read(file).split('\n').length - 1;
    expect(Math.abs(lines / Number(stated) - 1), `${path}: ${lines}`).toBeLessThan(0.25);
    counted += 1;
  }
  expect(counted).toBeGreaterThan(8);
});
