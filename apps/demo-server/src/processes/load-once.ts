/**
 * Returns a function that loads at its first call, and gives all later ones that value. A load that fails is forgotten: the next call
 * tries again, because what failed, such as the lack of descriptors, may be over.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
