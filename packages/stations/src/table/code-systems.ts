/** Returns another code of the same station. */
type CodeOf = (system: string) => string | undefined;

interface System {
  /** Meaning of the asset's `=`: the code that most stations have, made of another one. */
  readonly usual?: (codeOf: CodeOf) => string | undefined;
}

/** Systems whose codes are in the table. */
export type StoredSystem =
  | 'uic'
  | 'ibnr'
  | 'obb'
  | 'trenitalia'
  | 'entur'
  | 'atoc'
  | 'ntv'
  | 'renfe'
  | 'sncf'
  | 'leoexpress'
  | 'westbahn'
  | 'benerail'
  | 'ouigoFr'
  | 'ds100'
  | 'iata';

/**
 * Systems in the order in which an id is made of them. `ouigoFr` is the wire of France: the carrier `ouigo` of Spain asks by UIC numbers.
 */
const systems: Readonly<Record<StoredSystem, System>> = {
  uic: {},
  ibnr: {},
  obb: { usual: (codeOf) => codeOf('ibnr') },
  trenitalia: { usual: (codeOf) => codeOf('uic') },
  entur: {},
  atoc: {},
  ntv: {},
  renfe: { usual: (codeOf) => codeOf('uic')?.slice(2) },
  sncf: {},
  leoexpress: {},
  westbahn: {},
  benerail: { usual: (codeOf) => codeOf('sncf') },
  ouigoFr: {},
  ds100: {},
  iata: {},
};
export const STORED_SYSTEMS: readonly StoredSystem[] = Object.keys(
  systems,
) as readonly StoredSystem[];

/** Returns what `=` in the column of a system means for a station. */
export function usualCode(system: StoredSystem, codeOf: CodeOf): string | undefined {
  return systems[system].usual?.(codeOf);
}

/** A system whose codes follow from UIC numbers. */
interface ComputedSystem {
  readonly fromUic: (uic: string) => string | undefined;
  /** `undefined` for a text that is no code of this system. */
  readonly toUic: (code: string) => string | undefined;
}

/** Systems whose codes are computed, and not in the table. */
export const COMPUTED_SYSTEMS: Readonly<Record<string, ComputedSystem>> = {
  /** UIC with its check digit, as SNCF writes it. */
  uic8: {
    fromUic: (uic) => `${uic}${luhnDigit(uic.slice(2))}`,
    toUic(code) {
      const uic = code.slice(0, 7);
      return /^\d{8}$/.test(code) && code.endsWith(luhnDigit(uic.slice(2))) ? uic : undefined;
    },
  },
  /** The numbers of Switzerland, where UIC and IBNR agree. */
  sbb: {
    fromUic: (uic) => (uic.startsWith('85') ? uic : undefined),
    toUic: (code) => (/^85\d{5}$/.test(code) ? code : undefined),
  },
  /** Swiss location ids of stations; ids of platforms continue behind another colon. */
  sloid: {
    fromUic: (uic) => (uic.startsWith('85') ? `ch:1:sloid:${Number(uic.slice(2))}` : undefined),
    toUic(code) {
      const [, number] = /^ch:1:sloid:([1-9]\d{0,4})(?::.*)?$/.exec(code) ?? [];
      return number === undefined ? undefined : `85${number.padStart(5, '0')}`;
    },
  },
  /** Locations of Trenitalia's shop: Italian ones only. */
  trenitaliaBff: {
    fromUic: (uic) => (uic.startsWith('83') ? `8300${uic.slice(2)}` : undefined),
    toUic: (code) => (/^8300\d{5}$/.test(code) ? `83${code.slice(4)}` : undefined),
  },
};

/** Returns the digit that makes the Luhn sum of a number divisible by ten. */
function luhnDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}
