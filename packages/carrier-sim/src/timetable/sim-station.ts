import type { Zone } from './local-clock.ts';

/** A station of the simulated network, with its code on each wire that has codes of its own. */
export interface SimStation {
  /** Seven digits, `7160000`. */
  readonly uic: string;
  readonly name: string;
  readonly zone: Zone;
  /** Renfe's five digits. */
  readonly renfeCode?: string;
  /** Ouigo's city code. */
  readonly ouigoCode?: string;
  /** Avlo's own number. */
  readonly avloId?: number;
  /** The number that German and Austrian systems use, where they know the station. */
  readonly ibnr?: string;
  /** Two letters, and degrees: of stations of the network beyond the Spanish one. */
  readonly country?: string;
  readonly latitude?: number;
  readonly longitude?: number;
}
