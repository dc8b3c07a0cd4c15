import { styleText } from 'node:util';
import { hideSecrets } from '@ticketing/cli-kit';
import { dispatchKind } from '../flags/dispatch-kinds.ts';
import type { Flags } from '../flags/flag-specs.ts';
import type { FlagRow } from '../flags/read-flags.ts';
import type { Serving } from './serving.ts';

const QUERY = '/search?origin=Madrid&destination=Barcelona';

interface Started {
  readonly flags: Flags;
  readonly rows: readonly FlagRow[];
}

/** Lists what people who started the server look for: its addresses, then the flags that are not defaults, or all if they ask. */
export function startLines(
  { url, carriersUrl }: Pick<Serving, 'url' | 'carriersUrl'>,
  { flags, rows }: Started,
): string[] {
  const addresses = columns([
    ['ticketing', `${url}/`, 'search', `curl '${url}${QUERY}'`],
    ['operator', `${url}/operator`, 'metrics', `${url}/metrics`],
    ['api', `${url}/docs`, 'carriers', hideSecrets(carriersUrl)],
  ]);
  const shown = flags.showFlags ? rows : rows.filter(({ from }) => from !== 'default');
  const table = columns(shown.map(({ flag, value, from }) => [flag, value, from]));
  return [
    ...addresses.map((line) => line.replace(/^\w+|(?<= {2})(?:search|metrics|carriers)/g, strong)),
    `${strong('processes')}  ${processesOf(flags)}`,
    ...(table.length === 0 ? [] : ['', ...table]),
  ];
}

const strong = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** Pads all columns but the last. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, place) =>
    Math.max(...rows.map((row) => row[place]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function processesOf({ accept, workers, dispatch, dispatchWorkers, fleet }: Flags): string {
  const serving = accept === 'single' ? '1 that serves' : `1 primary, ${workers} that serve`;
  const { workers: kind, inServers, inFleet } = dispatchKind(dispatch);
  if (inFleet) return `${serving}, and hosts of fleet ${fleet} for tasks`;
  if (kind === undefined || (inServers && accept !== 'single')) return serving;
  return `${serving}, ${workers} x ${dispatchWorkers} ${kind} for tasks`;
}

const REDRAW_MS = 200;

/** Shows on a terminal how many requests a server that stops has left; elsewhere nothing. */
export function showStopping(
  inFlight: () => number,
  stream: { readonly isTTY?: boolean; write(text: string): unknown },
): { end(): void } {
  if (!stream.isTTY) return { end() {} };
  let shown = -1;
  const draw = (): void => {
    const count = inFlight();
    if (count === shown) return;
    shown = count;
    const requests = count === 1 ? 'request' : 'requests';
    // Carriage return, then erase to the end of the line: of the ^C too.
    stream.write(`\r\u001B[Kstopping: ${count} ${requests} in flight`);
  };
  draw();
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    end() {
      clearInterval(timer);
      stream.write('\r\u001B[Kstopped\n');
    },
  };
}
