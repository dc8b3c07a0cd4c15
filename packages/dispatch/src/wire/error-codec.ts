import { createErrorCodec, showValue } from '@ticketing/kit';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '../errors.ts';
import { cloneToBytes } from './clone-bytes.ts';
import { jsonKeeps } from './json-keeps.ts';

const codec = createErrorCodec({
  own: {
    type: 'DispatchError',
    is: DispatchError.is,
    make: (message, member) => {
      const data = (member('data') ?? { name: '' }) as DispatchErrorData;
      return new DispatchError(member('code') as DispatchErrorCode, message, { data });
    },
  },
  clones: canBeCloned,
  replace: notSendable,
});

/**
 * Returns a thrown value as plain data: class, name, message, stack, code, own properties, causes, errors of an aggregate. Leaves
 * out what cannot be cloned or read. Never throws.
 */
export const encodeError: (error: unknown) => unknown = codec.encode;

/** Returns what was thrown, from such data; a class that is not built in becomes its nearest built-in ancestor. @throws TypeError for any other data */
export const decodeError: (data: unknown) => unknown = codec.decode;

function canBeCloned(value: object): boolean {
  try {
    if (!jsonKeeps(value)) cloneToBytes(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns an error in place of a thrown value that cannot cross. */
function notSendable(value: unknown): DispatchError {
  const message = `Cannot send what was thrown: ${showValue(value)} could not be cloned`;
  const error = new DispatchError('ERR_NOT_CLONEABLE', message, { data: { name: 'worker' } });
  // The place at which this was noticed helps no reader.
  error.stack = String(error);
  return error;
}
