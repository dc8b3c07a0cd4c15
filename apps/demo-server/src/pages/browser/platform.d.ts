// Libraries import modules of Node in code that no page reaches.
declare module 'node:*';
declare module 'node:diagnostics_channel' {
  interface Channel {
    readonly hasSubscribers: boolean;
    publish(message: unknown): void;
    runStores<A extends unknown[], R>(
      message: unknown,
      run: (...values: A) => R,
      thisArg?: unknown,
      ...values: A
    ): R;
  }
  export type TracingChannel<_Store, _Message> = { readonly hasSubscribers: boolean } & Record<
    'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error',
    Channel
  >;
  export function channel(name: string): Channel;
  // biome-ignore lint/suspicious/noExplicitAny: fits whatever message the library declares
  export function tracingChannel(name: string): TracingChannel<any, any>;
}
declare namespace NodeJS {
  type Timeout = number;
}
