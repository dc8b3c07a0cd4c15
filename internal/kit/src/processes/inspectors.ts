import process from 'node:process';

const OPTION = /^--(?:inspect|inspect-brk|inspect-wait|inspect-port|debug-port)(?:=(.*))?$/s;
const OPENING = /^--inspect(?:-brk|-wait)?(?:=|$)/;

/** Milliseconds between looks whether the inspector has been opened: SIGUSR1 and debuggers do so at any time. */
const LOOK_MS = 1000;

/** True for Node options that open the inspector of a process. */
export function opensInspector(execArgv: readonly string[]): boolean {
  return execArgv.some((argument) => OPENING.test(argument));
}

/**
 * Returns the option by which a worker opens its inspector as this program does, on the same host, at a port that is free;
 * undefined if the program does not.
 */
export function inspectorOption(
  execArgv: readonly string[],
  nodeOptions: string | undefined = process.env['NODE_OPTIONS'],
): string | undefined {
  const options = [...(nodeOptions?.split(' ') ?? []), ...execArgv];
  if (!opensInspector(options)) return undefined;
  let host = '127.0.0.1';
  for (const [index, option] of options.entries()) {
    const [matched, joined] = OPTION.exec(option) ?? [];
    if (matched === undefined) continue;
    const next = /^--(?:inspect-port|debug-port)$/.test(option) ? options[index + 1] : undefined;
    // A port, a host, or both; an address of IPv6 is in brackets.
    const given = (joined ?? next ?? '').replace(/(?:^|:)\d*$/, '');
    if (given !== '') host = given;
  }
  return `--inspect=${host}:0`;
}

/** Returns where the inspector of this process listens; undefined if it is closed, or there is none. */
export function inspectorUrl(): string | undefined {
  if (!process.features.inspector) return undefined;
  return process.getBuiltinModule?.('node:inspector')?.url();
}

/**
 * Calls a function with the address of this process' inspector: now if it is open, and when it opens or closes. A parent that
 * knows it does not take a worker at a breakpoint for one that has died.
 *
 * @returns a function that ends this
 */
export function watchInspector(changed: (url: string | undefined) => void): () => void {
  let last: string | undefined;
  const look = (): void => {
    const url = inspectorUrl();
    if (url === last) return;
    last = url;
    changed(url);
  };
  look();
  // Typed so that programs of pages, which have a browser's timers, read this file too.
  const timer: { unref?(): void } & ReturnType<typeof setInterval> = setInterval(look, LOOK_MS);
  timer.unref?.();
  return () => clearInterval(timer);
}
