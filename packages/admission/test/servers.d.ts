// The servers that tests and benches use, as far as they use them; they have no types of their own.
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  type Middleware = (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => unknown;

  export default function express(): RequestListener & { use(middleware: Middleware): void };
}

declare module 'express-4' {
  export { default } from 'express';
}

declare module 'koa' {
  import type { RequestListener } from 'node:http';

  interface Context {
    readonly url: string;
    readonly req: import('node:http').IncomingMessage;
    readonly res: import('node:http').ServerResponse;
    status: number;
    respond: boolean;
    body: unknown;
  }

  export default class Koa {
    silent: boolean;
    use(middleware: (context: Context) => unknown): this;
    callback(): RequestListener;
  }
}

declare module 'toobusy-js' {
  export default function toobusy(): boolean;
}
