/** Collects the warnings of this process until it is disposed: by them a link tells what its listeners throw. */
export function watchWarnings(): Disposable & { readonly seen: Error[] } {
  const seen: Error[] = [];
  const see = (warning: Error): void => void seen.push(warning);
  process.on('warning', see);
  return { seen, [Symbol.dispose]: () => void process.off('warning', see) };
}
