/** Letters and colour by which a carrier is recognised. They are drawn for this demo: no carrier's own logo or colour. */
export interface CarrierMark {
  /** Two. */
  readonly letters: string;
  /** Colour on which white has a contrast of at least 4.5. */
  readonly colour: string;
}

/** Marks of the carriers, by id. */
export const carrierMarks = {
  renfe: { letters: 'RE', colour: '#86215f' },
  ouigo: { letters: 'OU', colour: '#0b6f8f' },
  avlo: { letters: 'AV', colour: '#5a35b5' },
  osdm: { letters: 'OS', colour: '#1d6a45' },
  hafas: { letters: 'HA', colour: '#9c4310' },
  ojp: { letters: 'OJ', colour: '#3b5170' },
  navitia: { letters: 'NA', colour: '#6b5b12' },
} as const satisfies Readonly<Record<string, CarrierMark>>;
