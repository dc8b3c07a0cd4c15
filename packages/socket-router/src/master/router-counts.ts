/** What a router counts over its life. */
export interface RouterCounts {
  accepted: number;
  handedOver: number;
  gone: number;
  refused: number;
  rerouted: number;
}

export function createRouterCounts(): RouterCounts {
  return { accepted: 0, handedOver: 0, gone: 0, refused: 0, rerouted: 0 };
}
