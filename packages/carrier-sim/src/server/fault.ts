import {
  between,
  oneOf,
  type Rules,
  resolveByRules,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import {
  type PlanTraits,
  type WireFaultKind,
  type WireFaultOption,
  wireFaultKinds,
} from '../wires/wires.ts';

/** A fault that every wire can have. */
type GeneralFault =
  | {
      readonly kind:
        | 'hang'
        | 'error'
        | 'error-drip'
        | 'drip'
        | 'truncated'
        | 'half-encoded'
        | 'wrong-encoding'
        | 'unknown-encoding'
        | 'unasked-encoding'
        | 'reset'
        | 'wrong-content-type'
        | 'malformed-price';
      readonly share: number;
    }
  | {
      readonly kind: 'rate-limited' | 'throttled';
      readonly share: number;
      /** Whole seconds of `Retry-After` (0-86,400), where the wire has that header. */
      readonly retryAfterSeconds: number;
    };

/** A fault that one wire has alone. */
type WireFault = { readonly kind: WireFaultKind; readonly share: number } & {
  readonly [Option in WireFaultOption]?: number;
};

/** Failure of a `share` (0-1) of the calls that it can strike. */
export type Fault = GeneralFault | WireFault;

/** The name of a fault. */
export type FaultKind = Fault['kind'];

/** The fault of a plan to set. */
export type FaultPatch = {
  readonly kind: FaultKind;
  /** Default 1. */
  readonly share?: number | undefined;
  /** Default 1. */
  readonly retryAfterSeconds?: number | undefined;
} & { readonly [Option in WireFaultOption]?: number | undefined };

const aShare: Rules = { share: between(0, 1, 1) };
const aPause: Rules = { ...aShare, retryAfterSeconds: wholeBetween(0, 86_400, 1) };

/** Calls that each general fault strikes, and its options. */
const generalFaults: Readonly<
  Record<GeneralFault['kind'], { readonly strikes: 'calls' | 'searches'; readonly options: Rules }>
> = {
  hang: { strikes: 'calls', options: aShare },
  error: { strikes: 'calls', options: aShare },
  'error-drip': { strikes: 'calls', options: aShare },
  'rate-limited': { strikes: 'calls', options: aPause },
  drip: { strikes: 'calls', options: aShare },
  truncated: { strikes: 'searches', options: aShare },
  'half-encoded': { strikes: 'searches', options: aShare },
  'wrong-encoding': { strikes: 'searches', options: aShare },
  'unknown-encoding': { strikes: 'searches', options: aShare },
  'unasked-encoding': { strikes: 'searches', options: aShare },
  reset: { strikes: 'searches', options: aShare },
  'wrong-content-type': { strikes: 'searches', options: aShare },
  'malformed-price': { strikes: 'searches', options: aShare },
  throttled: { strikes: 'searches', options: aPause },
};

/** Every {@link FaultKind}, of every wire. */
export const faultKinds: readonly FaultKind[] = [
  ...(Object.keys(generalFaults) as GeneralFault['kind'][]),
  ...wireFaultKinds,
];

const isGeneral = (kind: string): kind is GeneralFault['kind'] =>
  Object.hasOwn(generalFaults, kind);

/** Returns whether a fault strikes searches alone, and not the calls before them. */
export function strikesSearches({ kind }: Fault): boolean {
  return !isGeneral(kind) || generalFaults[kind].strikes === 'searches';
}

/** Returns whether a fault is one that the wire itself answers. */
export function isWireFault(fault: Fault): fault is WireFault {
  return !isGeneral(fault.kind);
}

/**
 * Fills and checks a fault of a carrier's plan.
 *
 * @throws TypeError for a kind or an option that the carrier does not have, RangeError for a value out of range
 */
export function resolveFault(
  action: string,
  { faults }: Pick<PlanTraits, 'faults'>,
  options: unknown,
): Fault | null {
  if (options === null) return null;
  const name = 'plan.fault';
  const { kind } = options as Fault;
  const aKind = oneOf(...Object.keys(generalFaults), ...Object.keys(faults));
  if (!aKind.test(kind)) throw wrongOption(action, `${name}.kind`, aKind, kind);
  const own = isGeneral(kind) ? generalFaults[kind].options : { ...aShare, ...faults[kind] };
  return resolveByRules<Fault>(action, options, { kind: aKind, ...own }, name);
}
