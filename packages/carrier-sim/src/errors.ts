/** What tells the errors of this package apart. */
export type CarrierSimErrorCode = 'ERR_CARRIER_SIM_LISTEN';

const mark = Symbol.for('ticketing.carrier-sim.error');

/** A failure of the simulator in operation. */
export class CarrierSimError extends Error {
  override readonly name = 'CarrierSimError';
  readonly code: CarrierSimErrorCode;
  /** Where the simulator was to listen. */
  readonly data: { readonly host: string; readonly port: number };

  constructor(
    message: string,
    options: {
      readonly code: CarrierSimErrorCode;
      readonly data: { readonly host: string; readonly port: number };
      readonly cause: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.data = options.data;
    Object.defineProperty(this, mark, { value: true });
  }

  /** Tells whether a value is such an error, whichever copy of the package made it. */
  static is(error: unknown): error is CarrierSimError {
    return typeof error === 'object' && error !== null && mark in error;
  }
}
