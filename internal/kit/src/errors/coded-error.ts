/**
 * An error that programs recognise by its `code`, also if another copy of its package made it. `code` is stable, `message`
 * is not.
 *
 * A subclass calls {@link mark} in its static block.
 */
export abstract class CodedError<Code extends string, Data extends object> extends Error {
  readonly code: Code;
  readonly data: Data;

  constructor(
    code: Code,
    message: string,
    options: { readonly data: Data; readonly cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.data = options.data;
  }
}

/**
 * Gives a class of errors the mark by which {@link isMarked} recognises it, `ticketing.<package>.<class>`, and the name in it: a
 * bundler renames a class whose static block names it, and Node.js prints the name of the class before a stack.
 */
export function mark(errors: { readonly prototype: Error }, by: string): void {
  const name = { value: by.slice(by.lastIndexOf('.') + 1) };
  Object.defineProperty(errors, 'name', name);
  Object.defineProperty(errors.prototype, 'name', name);
  Object.defineProperty(errors.prototype, Symbol.for(by), { value: true });
}

/** True for a value that is an error of a class with this mark, made by any copy of the package. */
export function isMarked(error: unknown, by: string): boolean {
  return typeof error === 'object' && error !== null && Symbol.for(by) in error;
}
