import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Receiver of what a watch sees. */
export interface WatchListener {
  /** Called with the path of each program file that was changed, made or removed. */
  changed(path: string): void;
  /** Called with an error by which files are no longer watched. */
  failed(error: Error): void;
}

/** A watch of files and folders. */
export interface FileWatch {
  close(): void;
}

/** Most folders of a watch: each one takes a watch of the system, which has a bound of its own. */
const MAX_FOLDERS = 1000;
const PROGRAM_FILE = /\.(?:[cm]?[jt]sx?|node|wasm)$/;

/**
 * Watches files, and folders with all that is in them but for packages and names that begin with a dot. In a folder only files of
 * programs count: a program that writes its data there would be reloaded without end.
 *
 * The recursive watch of the platform is not used: on Linux it watches each file, also of packages, and Node 20 misses files that
 * replace others.
 *
 * @throws the error of the platform for a path that cannot be watched, RangeError for more than 1,000 folders
 */
export function watchFiles(paths: readonly string[], listener: WatchListener): FileWatch {
  const watched = new FolderWatch(listener);
  try {
    for (const path of paths) {
      if (statSync(path).isDirectory()) watched.addRoot(path);
      else watched.addFile(path);
    }
  } catch (error) {
    watched.close();
    throw error;
  }
  return watched;
}

class FolderWatch implements FileWatch {
  readonly #listener: WatchListener;
  readonly #folders = new Map<string, FSWatcher>();
  /** Files that were named, which count whatever they are. */
  readonly #files = new Set<string>();
  /** Folders that were named, which a compiler may remove and make again. */
  readonly #roots = new Set<string>();
  /** Folders all of whose program files count. */
  readonly #whole = new Set<string>();
  #hasFailed = false;

  constructor(listener: WatchListener) {
    this.#listener = listener;
  }

  /** Watches a file by its folder: editors replace it by another of its name. */
  addFile(path: string): void {
    this.#files.add(path);
    this.#watch(dirname(path));
  }

  /** Watches a folder that was named, and whether it is replaced. */
  addRoot(path: string): void {
    this.#roots.add(path);
    this.#watch(dirname(path));
    this.addFolder(path);
  }

  /** Watches a folder and those in it. Returns the program files that are there. */
  addFolder(path: string): string[] {
    this.#whole.add(path);
    this.#watch(path);
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const inner = join(path, entry.name);
      if (isIgnored(entry.name)) return [];
      if (entry.isDirectory()) return this.addFolder(inner);
      return PROGRAM_FILE.test(entry.name) ? [inner] : [];
    });
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return;
    if (this.#folders.size === MAX_FOLDERS) {
      throw new RangeError(`There are more than ${MAX_FOLDERS} folders to watch`);
    }
    const watcher = watch(folder, { persistent: false }, (event, name) => {
      if (name !== null) this.#noticed(event, join(folder, name));
    });
    watcher.on('error', (error: Error) => {
      this.#drop(folder);
      // A folder that was removed: its parent reports its successor.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error);
    });
    this.#folders.set(folder, watcher);
  }

  #noticed(event: string, path: string): void {
    const isInWhole = this.#whole.has(dirname(path)) && !isIgnored(basename(path));
    if (this.#files.has(path) || (isInWhole && PROGRAM_FILE.test(path))) {
      this.#listener.changed(path);
    }
    // A folder was made, replaced or removed.
    if (event === 'rename' && (isInWhole || this.#roots.has(path))) this.#replaceFolder(path);
  }

  #replaceFolder(path: string): void {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isFolder && !this.#folders.has(path)) return;
    for (const known of this.#folders.keys()) {
      if (known === path || known.startsWith(join(path, '/'))) this.#drop(known);
    }
    try {
      // Its files may be older than the watch.
      const files = isFolder ? this.addFolder(path) : [path];
      for (const file of files) this.#listener.changed(file);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #drop(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
    this.#whole.delete(folder);
  }

  /** Reports the first failure: more of them have one reason. */
  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#listener.failed(error);
  }
}

function isIgnored(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.');
}
