import { nearest, showValue } from '@ticketing/kit';

/** Longest part of a message that is not of this package. */
const LONGEST = 300;

/** Returns the message for an unknown task; `where` names the worker, as in ` on host a`. */
export function saysUnknown(task: string, known: readonly string[], where = ''): string {
  const near = nearest(task, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean \`${near}\`?`;
  return `Cannot run task${where}: unknown task \`${task}\`; ${hint}`;
}

/** Returns the message for a value of a task that cannot be sent: in the words of the cause, if it has any, or by the value. */
export function saysNotCloneable(
  what: 'the input' | 'the result' | 'an item' | 'progress',
  task: string,
  { value, cause }: { readonly value: unknown; readonly cause: unknown },
): string {
  const why =
    cause instanceof Error && cause.message !== ''
      ? inOneLine(cause.message)
      : `${showValue(value)} could not be cloned`;
  return `Cannot send ${what} of task \`${task}\`: ${why}`;
}

/** Returns a message as one line, long ones cut in the middle: the platform shows the whole text of a function, and its fault at the end. */
export function inOneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').replace(/\.$/, '');
  return line.length > LONGEST ? `${line.slice(0, 60)} ... ${line.slice(-40)}` : line;
}

/** Returns the line of standard error that explains the end of a program: that of an uncaught error, else the first. */
export function whyEnded(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line =
    lines.find((each) => /^(?:[A-Z][\w$.]*Error|Error|FATAL ERROR)\b/.test(each)) ??
    lines.find((each) => each !== '' && !/^\((?:node:|Use `node)/.test(each));
  return line === undefined ? undefined : firstLineOf(new Error(line));
}

/** Returns the first line of an error's message, without a full stop; for any other value, its text. */
export function firstLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : showValue(error);
  const [line = ''] = text.split('\n');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 3)}...` : line.replace(/\.$/, '');
}
