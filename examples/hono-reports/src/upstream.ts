// The slow API: a report takes it seconds, and its text depends on the language.

export interface Upstream {
  report(id: string, language: string, signal: AbortSignal): Promise<unknown>;
  /** The reports of one user. */
  mine(token: string, signal: AbortSignal): Promise<unknown>;
}

export function createUpstream(baseUrl: string): Upstream {
  async function ask(path: string, headers: Record<string, string>, signal: AbortSignal) {
    const response = await fetch(new URL(path, baseUrl), { headers, signal });
    if (response.ok) return response.json();
    await response.body?.cancel();
    throw new Error(`The API answered ${path} with ${response.status}`);
  }
  return {
    report: (id, language, signal) =>
      ask(`/reports/${encodeURIComponent(id)}`, { 'accept-language': language }, signal),
    mine: (token, signal) => ask('/mine', { authorization: token }, signal),
  };
}
