import { BatchingError } from '@ticketing/batching';
import { DispatchError } from '@ticketing/dispatch';
import { restoredError } from '../answers/restored-error.ts';

/** Views of the server that many people watch, each written once for all of them. */
export interface ViewFeed {
  /**
   * Gives server-sent events: the history, then each view. A viewer that is slow skips views: the latest is kept, and no
   * other.
   */
  follow(): AsyncIterableIterator<string>;
  /** Returns the history as JSON. */
  historyText(): Promise<string>;
  /** Ends the feed for every viewer. */
  end(): void;
}

/** Source of the views. */
interface Views {
  /** Resolves with the first view after one of time `after`; with `undefined` if there will be none. */
  next(after: number): Promise<{ readonly at: number } | undefined>;
  history(): Promise<unknown>;
}

const AGAIN_MS = 1000;
/** Milliseconds between two looks whether the server stops. */
const LOOK_MS = 100;

/**
 * Asks for one view after the other while somebody follows, and writes each once. Ends every viewer when the server drains: a
 * browser connects again, to a process that stays.
 */
export function createViewFeed(
  views: Views,
  options: {
    readonly isDraining: () => boolean;
    /** Receives an error of this program that made a view fail. A process that ended or did not answer is not such an error. */
    readonly onFault: (error: unknown) => void;
  },
): ViewFeed {
  const { isDraining, onFault } = options;
  const wakers = new Set<() => void>();
  let latest: { readonly at: number; readonly event: string } | undefined;
  let history: Promise<string> | undefined;
  let viewers = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;

  function wake(): void {
    const all = [...wakers];
    wakers.clear();
    for (const each of all) each();
  }

  function look(): void {
    timer = setTimeout(look, LOOK_MS);
    if (isDraining()) end();
    else void ask();
  }

  async function ask(): Promise<void> {
    if (isAsking || isOver || viewers === 0 || performance.now() < askAt) return;
    isAsking = true;
    try {
      const view = await views.next(latest?.at ?? -1);
      if (view === undefined) askAt = performance.now() + AGAIN_MS;
      else if (viewers > 0) {
        latest = { at: view.at, event: eventOf('view', JSON.stringify(view)) };
        wake();
      }
    } catch (error) {
      // Viewers keep what they have until there is another view.
      askAt = performance.now() + AGAIN_MS;
      if (!isWithoutAnswer(error)) onFault(error);
    } finally {
      isAsking = false;
    }
  }

  /** Many who connect at once, as after a reload, share one question. */
  function historyText(): Promise<string> {
    history ??= views
      .history()
      .then((all) => JSON.stringify(all))
      .finally(() => {
        history = undefined;
      });
    return history;
  }

  /** Returns the first event of a viewer; without the history, its charts begin with the first view. */
  async function firstEvent(): Promise<string> {
    const retry = 'retry: 1000\n';
    try {
      return retry + eventOf('history', await historyText());
    } catch (error) {
      if (!isWithoutAnswer(error)) onFault(error);
      return `${retry}\n`;
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
    askAt = Number.NEGATIVE_INFINITY;
  }

  return {
    historyText,
    follow() {
      let seen: unknown;
      let isFirst = true;
      let hasLeft = false;
      let pending: (() => void) | undefined;
      viewers += 1;
      if (viewers === 1 && !isOver) look();
      return {
        async next() {
          if (isFirst && !isOver) {
            isFirst = false;
            return { done: false, value: await firstEvent() };
          }
          while (!hasLeft && !isOver) {
            if (latest !== undefined && latest !== seen) {
              seen = latest;
              return { done: false, value: latest.event };
            }
            void ask();
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

function eventOf(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** Returns whether an error shows that the primary, or a process that it asks, did not answer or is closing. */
function isWithoutAnswer(error: unknown): boolean {
  const restored = restoredError(error);
  return DispatchError.is(restored) || BatchingError.is(restored);
}
