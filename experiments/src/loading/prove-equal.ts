/** Server whose answers must equal the others'. */
export interface Answering {
  readonly subject: string;
  readonly url: string;
}

const ANSWER_MS = 5000;
/** Most tries of one question. Some servers leave requests without an answer; their tables report it. */
const TRIES = 5;

/**
 * Asks all the same, before they are compared; `of` makes what is compared of an answer.
 *
 * @throws Error if an answer is another than the first one, or none
 */
export async function proveEqual(
  answering: readonly Answering[],
  {
    path,
    init = {},
    of,
  }: {
    readonly path: string;
    readonly init?: RequestInit;
    readonly of: (body: unknown) => string;
  },
): Promise<void> {
  let first: string | undefined;
  for (const { subject, url } of answering) {
    const { status, text } = await answerOf(url + path, init);
    if (status !== 200) throw different(subject, path, `${status} ${text}`);
    const answer = of(JSON.parse(text));
    first ??= answer;
    if (answer !== first) throw different(subject, path, answer);
  }
}

async function answerOf(
  url: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly text: string }> {
  for (let tried = 1; ; tried++) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}

function different(subject: string, path: string, got: string): Error {
  const shown = got.length > 200 ? `${got.slice(0, 200)}…` : got;
  return new Error(
    `Cannot measure ${subject}: its answer to ${path} differs from the others: ${shown}`,
  );
}

/** Returns the ids of the journeys that a search found. */
export function journeyIds(body: unknown): string {
  const { journeys } = body as { readonly journeys: readonly { readonly id: string }[] };
  if (journeys.length === 0) throw new Error('Cannot measure searches: the answer has no journeys');
  return journeys.map(({ id }) => id).join();
}
