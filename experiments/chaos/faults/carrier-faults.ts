import type { CarrierSimId, FaultKind } from '@ticketing/carrier-sim';

/**
 * Meaning of a fault for a truthful client: `fails`: it has no answer of the carrier, or the right one; `alters`: it has an answer
 * that is right and is not that of the timetable.
 */
type Meaning = 'fails' | 'alters';

/** Faults that every carrier of the simulator can have. */
const GENERAL = [
  'hang',
  'error',
  'error-drip',
  'rate-limited',
  'drip',
  'truncated',
  'half-encoded',
  'wrong-encoding',
  'unknown-encoding',
  'unasked-encoding',
  'reset',
  'wrong-content-type',
  'malformed-price',
  'throttled',
] as const satisfies readonly FaultKind[];

/** The carrier that has no prices. */
const PRICELESS: CarrierSimId = 'ojp';

/** Faults of one carrier alone. */
const OWN: Readonly<Record<CarrierSimId, Partial<Record<FaultKind, Meaning>>>> = {
  renfe: {
    'waiting-room': 'fails',
    'list-error': 'fails',
    exception: 'fails',
    'no-fares': 'alters',
    'not-running': 'alters',
  },
  ouigo: { 'token-refused': 'fails', moved: 'fails', 'unknown-error': 'fails' },
  avlo: {},
  osdm: {
    'problem-in-200': 'fails',
    'trips-without-offers': 'alters',
    'unknown-enum': 'alters',
    'local-times': 'alters',
    walks: 'alters',
    'on-demand': 'alters',
  },
  hafas: {
    'negative-price': 'alters',
    'no-fares': 'alters',
    tickets: 'alters',
    'nameless-fares': 'alters',
    devi: 'alters',
    nearby: 'alters',
    walks: 'alters',
    'unknown-section': 'alters',
    'zero-offset': 'alters',
    'html-wall': 'fails',
    'other-method': 'fails',
    'pages-overlap': 'fails',
    'on-demand': 'alters',
  },
  ojp: {
    'early-trip': 'alters',
    doctype: 'fails',
    padding: 'fails',
    'prefixes-1.0': 'fails',
    'opaque-references': 'alters',
    'named-numbers': 'alters',
    walks: 'alters',
    'on-demand': 'alters',
  },
  navitia: {
    'no-solution': 'alters',
    'too-large': 'fails',
    realtime: 'alters',
    'older-codes': 'fails',
    'no-zone': 'fails',
    walks: 'alters',
    'on-demand': 'alters',
  },
};

/** Fault of one carrier. */
export interface CarrierFault {
  readonly carrier: CarrierSimId;
  readonly kind: FaultKind;
  readonly alters: boolean;
}

/** Every fault of every carrier. */
export const CARRIER_FAULTS: readonly CarrierFault[] = (Object.keys(OWN) as CarrierSimId[]).flatMap(
  (carrier) => [
    ...GENERAL.filter((kind) => carrier !== PRICELESS || kind !== 'malformed-price').map(
      (kind) => ({
        ...{ carrier, kind, alters: false },
      }),
    ),
    ...Object.entries(OWN[carrier]).map(([kind, meaning]) => ({
      ...{ carrier, kind: kind as FaultKind },
      alters: meaning === 'alters',
    })),
  ],
);
