import type { ScenarioName } from './load-flags.ts';

/** A scenario with its rate and duration. */
export interface Scenario {
  readonly perSecond: number;
  readonly seconds: number;
}

/** Stress: the rate as asked. Load: half as much again, for half the time. Soak: the rate, for twice the time. */
export function scenarioOf(
  name: ScenarioName,
  { rate, durationSeconds }: { readonly rate: number; readonly durationSeconds: number },
): Scenario {
  switch (name) {
    case 'stress':
      return { perSecond: rate, seconds: durationSeconds };
    case 'load':
      return { perSecond: rate * 1.5, seconds: Math.ceil(durationSeconds / 2) };
    case 'soak':
      return { perSecond: rate, seconds: durationSeconds * 2 };
  }
}
