/** Keeps one token until shortly before it expires. */
export interface TokenStore {
  current(): string | undefined;
  /** @param expiresAt epoch ms */
  keep(token: string, expiresAt: number): void;
  /** Drops this token; a newer one stays. */
  forget(token: string): void;
}

const MARGIN_MS = 10_000;

/**
 * Creates an empty store. Searches that find it empty at once each log in for themselves: a shared
 * login would end with the search that began it.
 */
export function createTokenStore(now: () => number): TokenStore {
  let held: { readonly token: string; readonly expiresAt: number } | undefined;
  return {
    current: () => (held && now() < held.expiresAt - MARGIN_MS ? held.token : undefined),
    keep(token, expiresAt) {
      held = { token, expiresAt };
    },
    forget(token) {
      if (held?.token === token) held = undefined;
    },
  };
}
