/**
 * A message from a worker to the primary about tasks that run in the primary. `session` numbers the primary in its role as the
 * worker of one dispatcher, from its start to its end, and is unique within the sending worker.
 */
export type ToPrimary = Session<typeof toPrimaryTag> & ToPrimaryMessage;

export type ToPrimaryMessage =
  | { readonly act: 'open'; readonly module: string | undefined }
  | { readonly act: 'frames'; readonly message: unknown }
  | { readonly act: 'close' };

/** A message from the primary to a worker, for one of its sessions. */
export type FromPrimary = Session<typeof fromPrimaryTag> & FromPrimaryMessage;

export type FromPrimaryMessage =
  | { readonly act: 'frames'; readonly message: unknown }
  /** Refuses a session, because the cluster has no `primaryTasks`. */
  | { readonly act: 'refused' }
  | { readonly act: 'closed' };

interface Session<Tag> {
  readonly ticketing: Tag;
  readonly session: number;
}

export const toPrimaryTag = 'dispatch-cluster.to-primary';
export const fromPrimaryTag = 'dispatch-cluster.from-primary';

export function isToPrimary(message: unknown): message is ToPrimary {
  return (Object(message) as Partial<ToPrimary>).ticketing === toPrimaryTag;
}

export function isFromPrimary(message: unknown): message is FromPrimary {
  return (Object(message) as Partial<FromPrimary>).ticketing === fromPrimaryTag;
}
