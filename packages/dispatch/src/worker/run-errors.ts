import { saysNotCloneable, saysUnknown } from '../error-texts.ts';
import { DispatchError } from '../errors.ts';
import { isTransferred } from '../task-results.ts';

/** The error for a task that the module of a worker lacks. `owner`: the worker's name, if it has one. */
export function unknownTask(
  task: string,
  tasks: readonly string[],
  { workerId, owner }: { readonly workerId: number; readonly owner: string | undefined },
): DispatchError {
  const where = owner === undefined ? '' : ` on ${owner}`;
  return new DispatchError('ERR_UNKNOWN_TASK', saysUnknown(task, tasks, where), {
    data: { name: owner ?? `worker ${workerId}`, task },
  });
}

/** The error for a value of a task that cannot be sent; that of the port, if it says so itself. */
export function notSendable(
  what: 'the result' | 'an item' | 'progress',
  { task, workerId }: { readonly task: string; readonly workerId: number },
  { value, cause }: { readonly value: unknown; readonly cause: unknown },
): DispatchError {
  if (DispatchError.is(cause)) return cause;
  const given = isTransferred(value) ? value.value : value;
  return new DispatchError(
    'ERR_NOT_CLONEABLE',
    saysNotCloneable(what, task, { value: given, cause }),
    { data: { name: `worker ${workerId}`, task }, cause },
  );
}

/** The error of `run` for a task that gives items. Nothing of a generator has run by then. */
export function givesItems(task: string): TypeError {
  return new TypeError(`Cannot run task \`${task}\`: it gives items one by one; use \`stream\``);
}

/** The error of `stream` for a task that has been called and gave no items. */
export function givesNoItems(task: string): TypeError {
  return new TypeError(
    `Cannot stream task \`${task}\`: it gives one result, no items; use \`run\``,
  );
}
