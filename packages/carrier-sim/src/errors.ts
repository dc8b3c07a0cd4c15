import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.carrier-sim.CarrierSimError';

/** Stable codes of {@link CarrierSimError}. */
export type CarrierSimErrorCode = 'ERR_CARRIER_SIM_LISTEN';

/** Address at which the simulator should listen. */
export interface CarrierSimErrorData {
  readonly host: string;
  readonly port: number;
}

/** A failure of the simulator in operation. */
export class CarrierSimError extends CodedError<CarrierSimErrorCode, CarrierSimErrorData> {
  static {
    mark(CarrierSimError, MARK);
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is CarrierSimError {
    return isMarked(error, MARK);
  }
}
