/** A record as an application has it: nested, of several types. */
export interface Offer {
  readonly id: string;
  readonly seller: { readonly name: string; readonly rating: number; readonly verified: boolean };
  readonly prices: readonly { readonly currency: string; readonly cents: number }[];
  readonly tags: readonly string[];
}

/** An object of nested records whose JSON is about `bytes` long; the same for the same number. */
export function recordsOf(bytes: number): { readonly offers: readonly Offer[] } {
  const offers: Offer[] = [];
  let length = 0;
  while (length < bytes) {
    const offer = offerOf(offers.length);
    offers.push(offer);
    length += JSON.stringify(offer).length + 1;
  }
  return { offers };
}

/** An object of about 100 bytes as JSON. */
export function smallRecord(): object {
  return {
    id: 'order-000001',
    from: 'north',
    to: 'south',
    seats: 2,
    flexible: true,
    at: '2026-03-01T08:00:00Z',
  };
}

function offerOf(index: number): Offer {
  return {
    id: `offer-${String(index).padStart(6, '0')}`,
    seller: {
      name: `Seller ${index % 17}`,
      rating: 1 + (index % 40) / 10,
      verified: index % 3 > 0,
    },
    prices: ['EUR', 'USD', 'GBP'].map((currency, place) => ({
      currency,
      cents: 1999 + index * 7 + place * 211,
    })),
    tags: ['refundable', 'window', `car-${index % 12}`],
  };
}
