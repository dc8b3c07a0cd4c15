import type { CarrierSettings } from '../carriers/carriers.ts';
import { timesOf } from '../kept/keep-settings.ts';
import type { Flags } from './flag-specs.ts';

/** Returns the settings of the carriers at a base URL. */
export function carrierSettings(
  { ouigo, keep, deadlineMs }: Pick<Flags, 'ouigo' | 'keep' | 'deadlineMs'>,
  carriersUrl: string,
): CarrierSettings {
  const kept = timesOf(keep);
  return { carriersUrl, ouigo, deadlineMs, ...(kept && { keep: kept }) };
}
