import { BatchingError } from '@ticketing/batching';
import { DispatchError } from '@ticketing/dispatch';
import { restoredError } from '../answers/restored-error.ts';

/** A view of the server that many people watch, made once for all of them. */
export interface ViewFeed {
  /** Gives the view at once, then each later one. A viewer that is slow skips views: the latest is kept, and no other. */
  follow(): AsyncIterableIterator<string>;
  /** Ends it for every viewer. */
  end(): void;
}

const EVERY_MS = 1000;
/** How often it is looked whether the server stops. */
const LOOK_MS = 100;

/**
 * Asks for a view once a second while somebody follows, and writes it once. Ends every viewer when the server drains: a
 * browser connects again, to a process that stays.
 */
export function createViewFeed(
  ask: () => Promise<unknown>,
  options: {
    readonly isDraining: () => boolean;
    /** Receives an error of this program that made a view fail. A process that ended or did not answer is not such an error. */
    readonly onFault: (error: unknown) => void;
  },
): ViewFeed {
  const { isDraining, onFault } = options;
  const wakers = new Set<() => void>();
  let latest: string | undefined;
  let made = 0;
  let viewers = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;

  function wake(): void {
    const all = [...wakers];
    wakers.clear();
    for (const each of all) each();
  }

  function look(): void {
    timer = setTimeout(look, LOOK_MS);
    if (isDraining()) end();
    else if (!isAsking && performance.now() - askedAt >= EVERY_MS - LOOK_MS / 2) void refresh();
  }

  async function refresh(): Promise<void> {
    isAsking = true;
    askedAt = performance.now();
    try {
      const view = JSON.stringify(await ask());
      if (viewers > 0) {
        latest = view;
        made += 1;
        wake();
      }
    } catch (error) {
      // Viewers keep what they have until there is another view.
      if (!isWithoutAnswer(error)) onFault(error);
    } finally {
      isAsking = false;
    }
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    wake();
  }

  function leave(): void {
    viewers -= 1;
    if (viewers > 0) return;
    clearTimeout(timer);
    latest = undefined;
    askedAt = Number.NEGATIVE_INFINITY;
  }

  return {
    follow() {
      let seen = latest === undefined ? made : made - 1;
      let hasLeft = false;
      let pending: (() => void) | undefined;
      viewers += 1;
      if (viewers === 1 && !isOver) look();
      return {
        async next() {
          while (!hasLeft && !isOver) {
            if (latest !== undefined && made > seen) {
              seen = made;
              return { done: false, value: latest };
            }
            await new Promise<void>((resolve) => {
              pending = resolve;
              wakers.add(resolve);
            });
          }
          return { done: true, value: undefined };
        },
        async return() {
          if (!hasLeft) {
            hasLeft = true;
            leave();
            if (pending !== undefined) wakers.delete(pending);
            pending?.();
          }
          return { done: true, value: undefined };
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    end,
  };
}

/** Whether the primary, or a process that it asks, did not answer or is closing. */
function isWithoutAnswer(error: unknown): boolean {
  const restored = restoredError(error);
  return DispatchError.is(restored) || BatchingError.is(restored);
}
