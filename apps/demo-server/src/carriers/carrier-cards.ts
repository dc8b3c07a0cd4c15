/** A card that reduces fares. */
export interface Card {
  /** Code that carriers take, without commas, spaces and +. */
  readonly code: string;
  readonly name: string;
}

/** Cards that carriers read, by carrier; the others ask prices without them. */
export const carrierCards: Readonly<Record<string, readonly Card[]>> = {
  osdm: [
    { code: 'BC25', name: 'BahnCard 25' },
    { code: 'BC50', name: 'BahnCard 50' },
    { code: 'HALBTAX', name: 'Halbtax' },
    { code: 'VORTEILSCARD', name: 'Vorteilscard' },
    { code: 'AVANTAGE', name: 'Carte Avantage' },
  ],
};
