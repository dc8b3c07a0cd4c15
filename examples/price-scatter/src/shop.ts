// One shop: asks its API and reads the answer. It knows nothing of other shops, and no timeout of its own.
import type { Source } from '@ticketing/core';

export interface Price {
  readonly cents: number;
  readonly currency: string;
}

/** `code` decides how the shop ends: `NOT_SERVED` is `empty`, `OVERLOADED` is `rejected-busy`, any other is `error`. */
class ShopError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const codes: Readonly<Record<number, string>> = { 404: 'NOT_SERVED', 429: 'OVERLOADED' };

export function createShop(id: string, baseUrl: string): Source<string, Price> {
  return {
    id,
    async run(product, { signal }) {
      // The signal aborts at the deadline and when the client has left: the connection is closed then.
      const response = await fetch(`${baseUrl}/products/${product}/price`, { signal });
      if (!response.ok) {
        await response.body?.cancel(); // gives the connection back
        throw new ShopError(codes[response.status] ?? 'HTTP', `status ${response.status}`);
      }
      return readPrice(await response.json());
    },
  };
}

function readPrice(value: unknown): Price {
  const { cents, currency } = Object(value) as Partial<Price>;
  if (!Number.isSafeInteger(cents) || typeof currency !== 'string') {
    throw new ShopError('PROTOCOL', 'not a price');
  }
  return { cents: cents as number, currency };
}
