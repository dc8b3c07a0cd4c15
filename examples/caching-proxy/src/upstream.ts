// The slow API. It answers differently for each tier of customers, and for /me by user.

export interface Price {
  readonly product: string;
  readonly cents: number;
}

export interface Upstream {
  price(product: string, tier: string, signal: AbortSignal): Promise<Price>;
  /** All products, as JSON. */
  catalogue(signal: AbortSignal): Promise<string>;
  me(token: string, signal: AbortSignal): Promise<unknown>;
}

/** An answer of the API that is no success; Fastify answers with its `statusCode`. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly statusCode: number;
  constructor(path: string, status: number) {
    super(`The API answered ${path} with ${status}`);
    this.statusCode = status === 404 ? 404 : 502;
  }
}

export function createUpstream(baseUrl: string): Upstream {
  async function ask(path: string, headers: Record<string, string>, signal: AbortSignal) {
    const response = await fetch(new URL(path, baseUrl), { headers, signal });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new UpstreamError(path, response.status);
  }
  return {
    price: async (product, tier, signal) =>
      (await (
        await ask(`/prices/${encodeURIComponent(product)}`, { 'x-tier': tier }, signal)
      ).json()) as Price,
    catalogue: async (signal) => (await ask('/catalogue', {}, signal)).text(),
    me: async (token, signal) => (await ask('/me', { authorization: token }, signal)).json(),
  };
}
