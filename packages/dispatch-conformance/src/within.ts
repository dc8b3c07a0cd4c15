/** Rejects with what was awaited if it does not come in time. */
export async function within<T>(ms: number, what: () => string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Cannot go on: ${what()} expected within ${ms} ms, got nothing`));
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
