import type { CarrierSettings } from '../carriers/carriers.ts';
import { timesOf } from '../kept/keep-settings.ts';
import type { Flags } from './flag-specs.ts';

/** Returns the settings of the carriers at a base URL. */
export function carrierSettings(
  {
    ouigo,
    deadlineMs,
    keep,
    guard,
    rate: rates,
    hedge: hedged,
    gtfsFile,
    ratesFile,
  }: Pick<
    Flags,
    'ouigo' | 'deadlineMs' | 'keep' | 'guard' | 'rate' | 'hedge' | 'gtfsFile' | 'ratesFile'
  >,
  carriersUrl: string,
): CarrierSettings {
  const kept = timesOf(keep);
  return {
    carriersUrl,
    ouigo,
    deadlineMs,
    ...(kept && { keep: kept }),
    ...(gtfsFile !== undefined && { gtfsFile }),
    ...(ratesFile !== undefined && { ratesFile }),
    ...(guard && { guard: { rates, hedged } }),
  };
}
