import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** An `@example` of a docstring. */
export interface Example {
  /** File of its docstring, relative to its package. */
  readonly file: string;
  readonly code: string;
  /** Exports that it names, as imports. */
  readonly imports: string;
  /** Names that only its reader has, such as `fetchUser`. */
  readonly unknown: readonly string[];
}

/** Settings in which examples differ from the sources: their imports are written here, and values of the reader have no types. */
const READER: ts.CompilerOptions = {
  noEmit: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: false,
  verbatimModuleSyntax: false,
  isolatedModules: false,
  noImplicitAny: false,
};

/** Returns the examples in the docstrings of a package's sources. */
export function examplesOf(folder: string): readonly Example[] {
  const exports = exportsOf(folder);
  return globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] })
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\/\*\*(.*?)\*\//gs)]
        .map(([, text = '']) => text.split('@example')[1])
        .filter((text) => text !== undefined)
        .map((text) => exampleOf(file, text.replaceAll(/\n\s*\* ?/g, '\n').trim(), exports)),
    );
}

function exampleOf(file: string, code: string, exports: ReadonlyMap<string, string>): Example {
  const free = freeNames(code);
  return {
    file,
    code,
    imports: free
      .filter((name) => exports.has(name))
      .map((name) => `import { ${name} } from '${exports.get(name)}';`)
      .join('\n'),
    unknown: free.filter((name) => !exports.has(name) && !(name in globalThis)),
  };
}

/** Returns the error of each example that does not compile; names that only its reader has may be anything. */
export function errorsOf(
  folder: string,
  examples: readonly Example[],
  options: ts.CompilerOptions,
): readonly string[] {
  const texts = new Map(
    examples.map(({ code, imports, unknown }, index) => {
      const anything = unknown.map((name) => `declare const ${name}: any; type ${name} = any;`);
      const text = [imports, ...anything, 'export {};', code, ''].join('\n');
      return [join(folder, 'src', `docstring-example-${index}.ts`), text];
    }),
  );
  const program = programOf(texts, { ...options, ...READER });
  return [...texts.keys()].flatMap((path, index) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      // Modules of the reader, such as './tasks.js'.
      .filter(({ code }) => code !== 2307)
      .map(({ messageText }) => {
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return `${examples[index]?.file}: ${message}`;
      }),
  );
}

/** Returns the names of a program that it does not declare. */
function freeNames(code: string): readonly string[] {
  const path = '/example.ts';
  const program = programOf(new Map([[path, `${code}\nexport {};`]]), {
    noLib: true,
    noResolve: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    types: [],
  });
  const source = program.getSourceFile(path);
  const words = program
    .getSemanticDiagnostics(source)
    .filter(({ messageText }) => /^(Cannot find name|No value exists)/.test(String(messageText)))
    .map(({ start = 0, length = 0 }) => source?.text.slice(start, start + length) ?? '');
  return [...new Set(words)].filter((word) => /^\w+$/.test(word));
}

function programOf(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.Program {
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  host.getSourceFile = (path, language, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile.call(host, path, language, ...rest)
      : ts.createSourceFile(path, text, language, true);
  };
  return ts.createProgram([...texts.keys()], options, host);
}

/** Returns what the entries of a package and of its siblings export, with the specifier to import it from. */
function exportsOf(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const own = globSync('src/**/index.ts', { cwd: folder }).sort((a, b) => a.length - b.length);
  const siblings = globSync('../*/src/index.ts', { cwd: folder });
  for (const path of [...own, ...siblings]) {
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, list = ''] of text.matchAll(/^export (?:type )?\{(.*?)\}/gms)) {
      for (const item of list.split(',')) {
        const name = item.trim().split(/\s+/).at(-1) ?? '';
        if (name !== '' && !found.has(name)) found.set(name, join(folder, path));
      }
    }
  }
  return found;
}
