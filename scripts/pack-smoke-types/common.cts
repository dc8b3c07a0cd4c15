// A CommonJS program that requires the packages.
import batching = require('@ticketing/batching');
import dispatch = require('@ticketing/dispatch');

export const lengthOf: (text: string) => Promise<number> = batching.coalesce(
  async (text: string) => text.length,
);
export const isLost = (error: unknown): boolean => dispatch.DispatchError.is(error);
