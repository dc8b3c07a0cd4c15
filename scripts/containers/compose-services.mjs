// The demo's compose file as data, with variables replaced by their defaults.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Path of the file. */
export const composeFile = fileURLToPath(
  new URL('../../apps/demo-server/containers/compose.yaml', import.meta.url),
);

/** Returns what the file holds. A variable without a default throws: a clone has no `.env`. */
export function readCompose() {
  const text = readFileSync(composeFile, 'utf8').replace(
    /\$\{(\w+)(:-([^}]*))?\}/g,
    (_, name, set, value) => {
      if (set === undefined) throw new Error(`Cannot read ${composeFile}: ${name} has no default`);
      return value;
    },
  );
  return parse(text, { merge: true });
}

/** Returns the services that run the demo's image, by name. */
export function demoServices({ services }) {
  return Object.fromEntries(
    Object.entries(services).filter(([, { image }]) => image === 'ticketing-demo'),
  );
}

/** Returns the files that a service mounts: `{ from, to }`, absolute both. */
export function mountsOf({ volumes = [] }) {
  return volumes.map((each) => {
    const [from, to] = each.split(':');
    return { from: resolve(dirname(composeFile), from), to };
  });
}

/** Writes a file of names for services as their containers see them. */
export function hostsText(addresses) {
  return Object.entries({ localhost: '127.0.0.1', ...addresses })
    .map(([name, address]) => `${address} ${name}\n`)
    .join('');
}
