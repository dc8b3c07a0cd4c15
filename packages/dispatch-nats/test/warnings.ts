/** Collects the warnings of this process until it is disposed: a link reports the errors of its listeners by them. */
export function watchWarnings(): Disposable & { readonly seen: Error[] } {
  const seen: Error[] = [];
  const see = (warning: Error): void => void seen.push(warning);
  process.on('warning', see);
  return { seen, [Symbol.dispose]: () => void process.off('warning', see) };
}
