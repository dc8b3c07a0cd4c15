declare module 'express' {
  import type { RequestListener } from 'node:http';

  export default function express(): RequestListener & {
    get(path: string, listener: RequestListener): void;
  };
}

declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    encoding(
      available: readonly string[],
      options?: { readonly preferred?: readonly string[] },
    ): string | undefined;
  }
}
