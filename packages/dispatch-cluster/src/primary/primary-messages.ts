/**
 * What a worker and the primary tell each other of tasks that run in the primary, beside the frames of the kernel that the
 * worker belongs to. `session`: one life of the primary as the worker of a dispatcher; unique within the worker.
 */
export type ToPrimary = { readonly ticketing: typeof toPrimaryTag; readonly session: number } & (
  | { readonly act: 'open'; readonly module: string | undefined }
  | { readonly act: 'frames'; readonly message: unknown }
  | { readonly act: 'close' }
);

export type FromPrimary = {
  readonly ticketing: typeof fromPrimaryTag;
  readonly session: number;
} & (
  | { readonly act: 'frames'; readonly message: unknown }
  /** There are no tasks. */
  | { readonly act: 'refused' }
  | { readonly act: 'closed' }
);

export const toPrimaryTag = 'dispatch-cluster.to-primary';
export const fromPrimaryTag = 'dispatch-cluster.from-primary';

/** Recognises our messages among others. */
export function isToPrimary(message: unknown): message is ToPrimary {
  return (Object(message) as Partial<ToPrimary>).ticketing === toPrimaryTag;
}

export function isFromPrimary(message: unknown): message is FromPrimary {
  return (Object(message) as Partial<FromPrimary>).ticketing === fromPrimaryTag;
}
