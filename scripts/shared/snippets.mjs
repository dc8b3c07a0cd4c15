// Code blocks of published pages, and which of them a test runs.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingsOf } from './guide.mjs';

const CODE = new Set(['ts', 'js', 'mjs', 'cjs', 'tsx', 'sh']);

/**
 * Returns the blocks of code and commands of a page that readers see: `{ language, title, text, line, mark }`. `mark` is the reason in a
 * comment `<!-- not run: reason -->` before the block.
 */
export function blocksOf(page) {
  const visible = page.replaceAll(/<!--(?! not run:).*?-->/gs, (comment) =>
    comment.replaceAll(/[^\n]/g, ''),
  );
  return [...visible.matchAll(/(?:<!-- not run: ([^>]+?) -->\n+)?^```(\w+)([^\n]*)\n(.*?)^```$/gms)]
    .map(({ 1: mark, 2: language, 3: info, 4: text, index }) => ({
      language,
      title: /\btitle=(\S+)/.exec(info)?.[1],
      text,
      line: visible.slice(0, index).split('\n').length + (mark === undefined ? 0 : 1),
      mark,
    }))
    .filter(({ language }) => CODE.has(language));
}

/**
 * Returns the blocks of a page that no test runs. `file` is its path in the repository: guides run by scripts/guides.mjs, blocks of READMEs
 * and reference pages by the test of their package, and those of examples are lines of sources that are tested.
 */
export function blocksWithoutTest(root, file) {
  const page = readFileSync(join(root, file), 'utf8');
  const blocks = blocksOf(page);
  if (/^docs\/(guides|migrating)\//.test(file)) {
    const runs = settingsOf(page) !== undefined;
    return blocks.filter(
      ({ language, title }) => !runs || (language !== 'sh' && title === undefined),
    );
  }
  const programs = blocks.filter(({ language }) => language !== 'sh');
  const commands = blocks.filter(({ language }) => language === 'sh');
  return [
    ...programs.filter((block) => !isProgramTested(root, file, block, programs)),
    ...commands.filter(
      ({ text, language }) =>
        !namesScriptsOnly(root, file, text) &&
        !testsOf(root, file).some((source) => readsBlocks(source, file, language)),
    ),
  ];
}

function isProgramTested(root, file, block, programs) {
  const [, example] = /^(examples\/[^/]+)\/README\.md$/.exec(file) ?? [];
  if (example !== undefined) return isExcerpt(block.text, sourcesOf(join(root, example)));
  const tests = testsOf(root, file);
  const index = programs.filter(({ language }) => language === block.language).indexOf(block);
  return tests.some(
    (source) =>
      readsBlocks(source, file, block.language) && usesBlock(source, index, programs.length),
  );
}

/** Returns the sources of tests that may run the blocks of a page: of its package, or of the scripts of the repository. */
function testsOf(root, file) {
  const [, name] =
    /^(?:packages|apps)\/([^/]+)\//.exec(file) ?? /^docs\/reference\/([^/]+)\.md$/.exec(file) ?? [];
  const folders =
    name === undefined ? ['scripts/test'] : [`packages/${name}/test`, `apps/${name}/test`];
  return folders.flatMap((folder) =>
    globSync('**/*{readme,reference,wires,front-page}*.test.{ts,mjs}', {
      cwd: join(root, folder),
    }).map((each) => withProgram(join(root, folder, each))),
  );
}

/** Returns the source of a test with that of the modules beside it, which may read the page. */
function withProgram(path) {
  const source = readFileSync(path, 'utf8');
  const beside = [...source.matchAll(/from '(\.\/readme[\w-]*\.\w+)'/g)].map(([, each]) =>
    readFileSync(join(dirname(path), each), 'utf8'),
  );
  return [source, ...beside].join('\n');
}

function readsBlocks(source, file, wanted) {
  const page = /^(?:packages|apps)\/[^/]+\/(.+)$/.exec(file)?.[1] ?? file;
  const name = page.startsWith('wires/') ? 'wires/' : page;
  const language = new RegExp(`\`\`\`\\(?[?:\\w|]*\\b${wanted}\\b`);
  const runs = wanted === 'sh' ? /'bash'/ : language;
  return source.includes(name) && runs.test(source);
}

/** True if a test runs each block, has the number of blocks, or uses one by its position. */
function usesBlock(source, index, count) {
  if (/\.each\(\s*(?:snippets|programs)/.test(source)) return true;
  const [, counted] =
    /expect\((?:snippets|\w+\.match\(.*\))\)\.toHaveLength\((\d+)\)/.exec(source) ?? [];
  if (Number(counted) >= count) return true;
  const named =
    /const \[([^\]]*)\](?:: [^=]*)? =\s*(?:\[\s*\.{3}|snippets)/.exec(source)?.[1] ?? '';
  const positions = named.split(/,(?![^(]*\))/).length;
  if (named !== '' && index < positions) return true;
  if (count === 1 && source.includes('.exec(readme)')) return true;
  return new RegExp(`\\b(?:snippets\\[|run\\w*(?:<[^(]*>)?\\()\\s*${index}\\b`).test(source);
}

function sourcesOf(folder) {
  return globSync('{src,test}/**/*.{ts,mjs}', { cwd: folder })
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

/** True if each line is one of the sources; `…` stands for what is left out, and comments at the end of a line explain it. */
function isExcerpt(text, sources) {
  const words = compact(sources);
  return text
    .split('\n')
    .flatMap((line) => line.replace(/\s\/\/ .*$/, '').split('…'))
    .map(compact)
    .every((piece) => words.includes(piece));
}

function compact(text) {
  return text.replaceAll(/[\s,;]+/g, '');
}

/** True if all commands are scripts of a manifest or programs of the repository. */
function namesScriptsOnly(root, file, text) {
  const scripts = scriptsAround(root, file);
  return text
    .replaceAll('\\\n', ' ')
    .split(/\n|&&/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .every((command) => {
      const [program, ...words] = command.replace(/^(?:[A-Z_]+=\S+\s+)+/, '').split(/\s+/);
      if (program === 'node') return existsSync(join(root, words[0] ?? ''));
      if (program !== 'npm' && program !== 'pnpm') return false;
      const [name] = words.filter(
        (word) => !word.startsWith('-') && word !== 'run' && word !== 'exec',
      );
      return words.includes('--filter') || name === 'install' || scripts.has(name);
    });
}

function scriptsAround(root, file) {
  const manifests = ['package.json', join(dirname(file), 'package.json')];
  return new Set(
    manifests
      .map((path) => join(root, path))
      .filter((path) => existsSync(path))
      .flatMap((path) => Object.keys(JSON.parse(readFileSync(path, 'utf8')).scripts ?? {})),
  );
}
