/** What an outbox needs of `process`. */
export interface OutboxProcess {
  send?(message: unknown, sent: (error: Error | null) => void): unknown;
  exit(code: number): unknown;
}

/** Sends the messages of a worker, and lets none be lost when it exits. */
export interface Outbox {
  /** A parent that is gone is silent: `disconnect` tells. @throws for a message that cannot be cloned */
  post(message: unknown): void;
  /** Exits once everything posted is written; what is left of a large message at `process.exit` would be lost. */
  exit(code: number): void;
}

/** Creates the outbox of this process. */
export function createOutbox(host: OutboxProcess): Outbox {
  // As they are before a task can replace them: one that is silent would make its call wait for ever.
  const send = host.send?.bind(host);
  const exit = host.exit.bind(host);
  let unsent = 0;
  let exitCode: number | undefined;
  // With a callback a failure, such as EPIPE while the parent dies, is no `error` event.
  const sent = () => {
    unsent -= 1;
    if (unsent === 0 && exitCode !== undefined) exit(exitCode);
  };
  return {
    post(message) {
      if (send === undefined) return;
      // Throws for what cannot be cloned, which is then not waited for.
      send(message, sent);
      unsent += 1;
    },
    exit(code) {
      exitCode ??= code;
      if (unsent === 0) exit(exitCode);
    },
  };
}
