import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@ticketing/test-kit';

/** Files by which a case and its tasks talk, also when a worker is blocked or has ended. */
export interface ScratchFolder {
  path(name: string): string;
  /** Makes a file be there. */
  touch(name: string): void;
  /** Writes a file. @returns its path */
  write(name: string, text: string): string;
  /** What was written, in its order; none if nothing was. */
  lines(name: string): readonly string[];
  /** Resolves when so many lines stand in a file. */
  reached(name: string, lines: number): Promise<void>;
  remove(): void;
}

export function createScratchFolder(): ScratchFolder {
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-conformance-'));
  const path = (name: string): string => join(folder, name);
  const lines = (name: string): readonly string[] =>
    existsSync(path(name)) ? readFileSync(path(name), 'utf8').split('\n').slice(0, -1) : [];
  return {
    path,
    lines,
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    touch: (name) => writeFileSync(path(name), ''),
    reached: (name, count) => until(() => lines(name).length >= count, `${count} lines in ${name}`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
