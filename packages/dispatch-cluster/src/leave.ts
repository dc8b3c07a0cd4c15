const leaveTag = 'dispatch-cluster.leave';
const leftTag = 'dispatch-cluster.left';

/** Tells a worker to serve to the end the requests that it has, and no more. It goes on with tasks, and answers `left`. */
export const leave: { readonly ticketing: string } = { ticketing: leaveTag };
/** Tells the primary that no request is left. */
export const left: { readonly ticketing: string } = { ticketing: leftTag };

export function isLeave(message: unknown): boolean {
  return tagOf(message) === leaveTag;
}

export function isLeft(message: unknown): boolean {
  return tagOf(message) === leftTag;
}

function tagOf(message: unknown): unknown {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing;
}
