import { type CarrierContext, CarrierError, type CarrierFailure } from '@ticketing/core';

/** Share of the time until the deadline in which another page may begin; then the share in which it must have arrived. */
const BEGIN_SHARE = 0.6;
const END_SHARE = 0.8;

/** Limits for pages after the first. */
export interface FurtherPages {
  /** Ends a page early enough for those before it to be used. */
  readonly context: CarrierContext;
  /** Returns why no other page may begin, if there is no time for it. */
  late(): CarrierFailure | undefined;
  /**
   * Returns why a page failed: the pages before it are an answer, which ends early.
   *
   * @throws the failure of the page when no caller is waiting
   */
  failure(error: unknown): CarrierFailure;
}

/** Begins a request that may ask for several pages, one after the other. */
export function furtherPages(
  carrier: string,
  { context, now }: { readonly context: CarrierContext; now(): number },
): FurtherPages {
  const startMs = now();
  const share = (part: number): number => startMs + (context.deadline - startMs) * part;
  const lastStartMs = share(BEGIN_SHARE);
  return {
    context: { ...context, deadline: share(END_SHARE) },
    late() {
      if (now() < lastStartMs) return undefined;
      const message = `Cannot ask \`${carrier}\` for all of the day: no time is left for another page`;
      return { code: 'TIMEOUT', message };
    },
    failure(error) {
      if (context.signal.aborted) throw error;
      return failureOf(error);
    },
  };
}

/** Pages of an answer that were read. */
export interface SoundPages<Page, Answer> {
  readonly answer: Answer;
  /** All pages, or the pages before the first one that cannot be read. */
  readonly pages: readonly Page[];
  /** Reason why the next page cannot be read. */
  readonly failure?: CarrierFailure;
}

/**
 * Reads the pages of an answer. One that cannot be read ends the answer before it.
 *
 * @throws what reading the first page throws
 */
export function readSoundPages<Page, Answer>(
  pages: readonly Page[],
  read: (pages: readonly Page[]) => Answer,
): SoundPages<Page, Answer> {
  try {
    return { answer: read(pages), pages };
  } catch (error) {
    // Each page is read twice more at most, however many there are.
    const wrong = pages.findIndex((page) => !isSound(page, read));
    if (wrong < 1) throw error;
    const sound = pages.slice(0, wrong);
    return { answer: read(sound), pages: sound, failure: failureOf(error) };
  }
}

function isSound<Page>(page: Page, read: (pages: readonly Page[]) => unknown): boolean {
  try {
    read([page]);
    return true;
  } catch {
    return false;
  }
}

/** Returns an error as plain data, which crosses from `request` to `normalise`. */
function failureOf(error: unknown): CarrierFailure {
  const { code, message, retryable, retryAfterMs } = CarrierError.from(error);
  return { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
