import type { Failure } from './conformance-task-map.ts';

class SeatTaken extends Error {
  static {
    Object.defineProperty(SeatTaken.prototype, 'name', { value: 'SeatTaken' });
  }
  readonly seat = '12A';
}

/** Throws what its name says. */
export function throwFailure(kind: Failure): never {
  switch (kind) {
    case 'aggregate':
      throw new AggregateError([new RangeError('first'), 'second'], 'several');
    case 'caused':
      throw new Error('outer', { cause: new TypeError('middle', { cause: { inner: [1, 2] } }) });
    case 'class':
      throw new SeatTaken('the seat is taken');
    case 'coded':
      throw Object.assign(new Error('no such file'), {
        code: 'ENOENT',
        errno: -2,
        at: new Date(0),
      });
    case 'cycle': {
      const error: Error & { self?: unknown } = new Error('round and round');
      error.self = error;
      error.cause = error;
      throw error;
    }
    case 'getter': {
      const error = Object.assign(new Error('look not'), { code: 'ELOOK' });
      const trap = {
        enumerable: true,
        get() {
          throw new Error('looked');
        },
      };
      throw Object.defineProperty(error, 'trap', trap);
    }
    case 'null':
      throw null;
    case 'number':
      throw 42;
    case 'text':
      throw 'a text';
    case 'type':
      throw new TypeError('of a built-in class');
    case 'uncloneable':
      throw Object.assign(new Error('half of it'), { code: 'EHALF', call: () => 1 });
    default:
      throw undefined;
  }
}
