import type { HttpRequest, HttpResponse } from '../http/routes/when-left.ts';

/** Context of Hono, as far as it is used. */
export interface HonoContext {
  readonly req: { readonly raw: Request; readonly method: string; readonly url: string };
  /** Holds `incoming` and `outgoing` on `@hono/node-server`. */
  readonly env: unknown;
  readonly error: Error | undefined;
  res: Response;
  header(name: string, value?: string, options?: { append?: boolean }): void;
  body(data: Uint8Array | string | null, status: number): Response;
}

/** Middleware of Hono. */
export type HonoMiddleware = (
  context: HonoContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/** Request and response of Node.js. */
interface NodeExchange {
  readonly incoming?: HttpRequest | undefined;
  readonly outgoing?: HttpResponse | undefined;
}

/** Returns the request and response of Node.js, absent on other platforms. */
export function nodeExchange({ env }: HonoContext): NodeExchange {
  return Object(env) as NodeExchange;
}
