/** A whole answer to one call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer in JSON. */
export function jsonAnswer(body: unknown, status = 200): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
