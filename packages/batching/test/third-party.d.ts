declare module 'express-4' {
  export { default } from 'express';
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
