/** One of those that are to answer alike. */
export interface Answering {
  readonly subject: string;
  readonly url: string;
}

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
    const response = await fetch(url + path, init);
    const text = await response.text();
    if (!response.ok) throw different(subject, path, `${response.status} ${text}`);
    const answer = of(JSON.parse(text));
    first ??= answer;
    if (answer !== first) throw different(subject, path, answer);
  }
}

function different(subject: string, path: string, got: string): Error {
  const shown = got.length > 200 ? `${got.slice(0, 200)}…` : got;
  return new Error(
    `Cannot measure ${subject}: the answer of the others to ${path} expected, got ${shown}`,
  );
}

/** Which journeys a search found. */
export function journeyIds(body: unknown): string {
  const { journeys } = body as { readonly journeys: readonly { readonly id: string }[] };
  if (journeys.length === 0)
    throw new Error('Cannot measure searches: journeys expected, got none');
  return journeys.map(({ id }) => id).join();
}
