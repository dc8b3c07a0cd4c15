export type HeaderValue = string | number | readonly string[];

/** Headers of an answer, by lower-case names. */
export type AnswerHeaders = Readonly<Record<string, HeaderValue | undefined>>;

/** Headers of a request, by lower-case names. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns a header of a request as its handler sees it. */
export function requestHeader(headers: SentHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** Returns the host as the client or its proxy sent it. */
export function sentHost(headers: SentHeaders): string | undefined {
  return requestHeader(headers, ':authority') ?? requestHeader(headers, 'host');
}
