/** The parts of problem+json that a page shows. */
export interface ShownProblem {
  readonly title: string;
  readonly status?: number;
  readonly detail: string;
  /** Path of the request. */
  readonly instance?: string | undefined;
  readonly parameter?: string;
  readonly expected?: string;
  readonly got?: unknown;
  readonly nearest?: readonly {
    readonly id: string;
    readonly name: string;
    readonly searchName?: string;
  }[];
}
