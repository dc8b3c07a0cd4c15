// The default export, because webpack replaces the named `createRequire`, and warns.
import nodeModule from 'node:module';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

// Options of the main program alone: code on the command line (a child would run it again, without end), watching,
// testing, and the inspector, whose port is taken.
const OWN = [
  /^-(?:e|p|pe|i|c)$/,
  /^--(?:eval|print|interactive|check|run|input-type|debug-port)(?:=|$)/,
  /^--(?:watch|test|inspect)(?:[-=]|$)/,
];

/** Options whose value is a module: a path if it begins with a dot, otherwise a package. */
const MODULE = /^(?:-r|--(?:require|import|loader|experimental-loader))$/;

/** Options whose value is the path of a file or a folder. */
const PATH =
  /^--(?:env-file|env-file-if-exists|experimental-config-file|openssl-config|icu-data-dir|diagnostic-dir|report-dir|report-directory|redirect-warnings|cpu-prof-dir|heap-prof-dir|tls-keylog|localstorage-file|allow-fs-read|allow-fs-write)$/;

/** The folder in which this program was started, as far as a library can tell: the current one when it is loaded. */
const programFolder = /* @__PURE__ */ currentFolder();

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // It was removed.
    return undefined;
  }
}

/**
 * Returns the Node options of a program that its workers need too, such as `--conditions` and `--import`: all but
 * `--eval`, `--print`, `--check`, `--interactive`, `--run`, `--input-type`, `--watch…`, `--test…` and `--inspect…`, for which there is `inspectorOption`. A relative
 * path in them is that of the program's folder, in whatever folder a worker begins.
 *
 * @param isElsewhere - Whether workers begin in another folder, in which packages are not found either
 */
export function inheritedExecArgv(
  execArgv: readonly string[],
  isElsewhere = false,
  folder: string | undefined = programFolder,
): string[] {
  let keep = true;
  const kept = execArgv.filter((argument) => {
    // An argument without a dash is the value of the option before it.
    if (argument.startsWith('-')) keep = !OWN.some((pattern) => pattern.test(argument));
    return keep;
  });
  return folder === undefined ? kept : kept.map(absoluteIn(folder, isElsewhere));
}

/** Returns a value of the variable NODE_OPTIONS whose relative paths lead to where they led in this program. */
export function inheritedNodeOptions(
  options: string,
  isElsewhere: boolean,
  folder: string | undefined = programFolder,
): string {
  if (folder === undefined) return options;
  const before = splitOptions(options);
  const after = before.map(absoluteIn(folder, isElsewhere));
  if (after.every((option, index) => option === before[index])) return options;
  return after.map(quoted).join(' ');
}

/** Returns what makes the value of an option absolute, in the list of all arguments. */
function absoluteIn(
  folder: string,
  isElsewhere: boolean,
): (argument: string, index: number, all: readonly string[]) => string {
  return (argument, index, all) => {
    const [, option, value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(argument) ?? [];
    if (option !== undefined) return `${option}=${absolute(option, value)}`;
    const before = argument.startsWith('-') ? undefined : all[index - 1];
    return before === undefined ? argument : absolute(before, argument);
  };

  function absolute(option: string, value: string): string {
    if (PATH.test(option)) return value === '*' ? value : resolve(folder, value);
    if (!MODULE.test(option)) return value;
    const isRequired = option === '-r' || option === '--require';
    const path = pathOf(value);
    if (path === undefined) return value;
    return isRequired ? path : pathToFileURL(path).href;
  }

  function pathOf(module: string): string | undefined {
    if (/^\.\.?(?:[/\\]|$)/.test(module)) return resolve(folder, module);
    if (!isElsewhere || /^(?:[a-z][a-z+.-]*:|[/\\])/i.test(module)) return undefined;
    try {
      return nodeModule.createRequire(join(folder, 'noop.js')).resolve(module);
    } catch {
      return undefined;
    }
  }
}

/** Splits as Node does: at spaces, but for those in quotes, in which a backslash escapes. */
function splitOptions(text: string): string[] {
  const options: string[] = [];
  let option: string | undefined;
  let isQuoted = false;
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      option = (option ?? '') + character;
      isEscaped = false;
    } else if (isQuoted && character === '\\') isEscaped = true;
    else if (character === '"') {
      isQuoted = !isQuoted;
      option ??= '';
    } else if (character === ' ' && !isQuoted) {
      if (option !== undefined) options.push(option);
      option = undefined;
    } else option = (option ?? '') + character;
  }
  if (option !== undefined) options.push(option);
  return options;
}

function quoted(option: string): string {
  return /[\s"\\]/.test(option) ? `"${option.replace(/["\\]/g, '\\$&')}"` : option;
}
