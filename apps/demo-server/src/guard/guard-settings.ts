/** Searches of a carrier that may begin: on average, and at once after a quiet time. */
export interface CarrierRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Settings of the guards of a process. Plain data: workers get them by their environment. */
export interface GuardSettings {
  /** By the id of the carrier; one without a rate has no bound. */
  readonly rates: Readonly<Partial<Record<string, CarrierRate>>>;
  /** Ids of the carriers that are asked once more if they are slow. */
  readonly hedged: readonly string[];
}
