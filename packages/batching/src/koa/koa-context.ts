import type { AnswerHeaders } from '../http/routes/header-fields.ts';
import type { HttpRequest, HttpResponse } from '../http/routes/when-left.ts';

/** Context of Koa, as far as it is used. */
export interface KoaContext {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly protocol: string;
  readonly host: string;
  readonly response: { readonly headers: AnswerHeaders };
  readonly respond?: boolean | undefined;
  status: number;
  body: unknown;
  set(name: string, value: string | string[]): void;
  remove(name: string): void;
}

/** Middleware of Koa. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>;
