/** What was not caught while it listened. */
export interface Strays {
  /** Stops to listen. @throws the first that was heard */
  stop(): void;
}

/** Listens for what would have ended this process, and for warnings of listeners that pile up. */
export function listenForStrays(): Strays {
  const heard: { readonly event: string; readonly what: unknown }[] = [];
  const uncaught = (what: unknown): void => void heard.push({ event: 'uncaughtException', what });
  const unhandled = (what: unknown): void => void heard.push({ event: 'unhandledRejection', what });
  const warned = (what: Error): void => {
    if (what.name === 'MaxListenersExceededWarning') heard.push({ event: 'warning', what });
  };
  process.on('uncaughtException', uncaught);
  process.on('unhandledRejection', unhandled);
  process.on('warning', warned);
  return {
    stop() {
      process.off('uncaughtException', uncaught);
      process.off('unhandledRejection', unhandled);
      process.off('warning', warned);
      const first = heard[0];
      if (first === undefined) return;
      const { event, what } = first;
      throw new Error(`Cannot keep the host clear of ${event}: none expected, got ${what}`, {
        cause: what,
      });
    },
  };
}
