import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens a file that only those have to whom its number is handed: its name is removed at once.
 *
 * @param prepare - Called with the number; the file is closed again if it throws
 * @returns the number, or undefined where the folder does not permit it
 */
export function openUnlinkedFile(
  folder: string,
  prepare: (fd: number) => void = () => {},
): number | undefined {
  const path = join(folder, `ticketing-${randomUUID()}`);
  let fd: number;
  try {
    fd = openSync(path, 'wx+', 0o600);
  } catch {
    return undefined;
  }
  try {
    unlinkSync(path);
    prepare(fd);
    return fd;
  } catch {
    closeSync(fd);
    return undefined;
  }
}
