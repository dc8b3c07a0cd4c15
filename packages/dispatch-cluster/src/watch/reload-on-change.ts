import type { EventEmitter } from 'node:events';
import type { Clock } from '@ticketing/dispatch';
import type { ClusterEvents, Supervisor } from '../supervisor.ts';
import { Reloads } from './reloads.ts';
import { type FileWatch, watchFiles } from './watch-files.ts';

/** Parts of a supervisor that a watch uses. */
type Watched = Pick<Supervisor, 'ready' | 'reload' | 'state'> & {
  readonly events: EventEmitter<ClusterEvents>;
};

interface WatchDependencies {
  readonly clock: Clock;
  /** Returns the reload that is in progress. */
  reloading(): Promise<void> | undefined;
}

/**
 * Reloads a cluster when its program files change, until `close()`. A reload that fails is an event: the old workers stay, and the
 * next change tries again, also where no worker could start.
 *
 * @throws TypeError for a path that cannot be watched
 */
export function reloadOnChange(
  cluster: Watched,
  paths: readonly string[],
  { clock, reloading }: WatchDependencies,
): FileWatch {
  const { events } = cluster;
  const isClosing = (): boolean => cluster.state === 'draining' || cluster.state === 'closed';
  const reloads = new Reloads(
    {
      begins: (changed) => events.emit('files-changed', { paths: changed }),
      async reload() {
        // A program that cannot start is what a change repairs.
        await cluster.ready().catch(() => {});
        // One that another caller has begun may have loaded files before they changed.
        await reloading();
        if (isClosing()) return;
        try {
          await cluster.reload();
        } catch (error) {
          if (!isClosing()) events.emit('reload-failed', { error });
        }
      },
    },
    clock,
  );
  const watch = watchAll(paths, {
    changed: (path) => reloads.add(path),
    failed: (error) => events.emit('watch-failed', { error }),
  });
  return {
    close() {
      reloads.close();
      watch.close();
    },
  };
}

function watchAll(...[paths, listener]: Parameters<typeof watchFiles>): FileWatch {
  try {
    return watchFiles(paths, listener);
  } catch (error) {
    const { message } = error as Error;
    throw new TypeError(
      `Cannot start cluster: \`watch\` must name files and folders that can be watched: ${message}`,
      { cause: error },
    );
  }
}
