import { aSignal, checkByRules } from '@ticketing/kit';
import type { Carrier } from '../../contract/carrier.ts';
import type { CarrierId } from '../../model/journey.ts';
import { presentFields } from '../../model/present-fields.ts';
import { aDeadline, chooseById, someIds } from '../../scatter/scatter-options.ts';
import type { ResolvedSearchOptions, SearchCallOptions } from '../search-options.ts';

/** Options of one calendar. */
export interface CalendarOptions extends Omit<SearchCallOptions, 'order'> {
  /**
   * Ids of the carriers of which each day that neither their own calendar nor a kept answer has is searched, two days at a time: up to 31
   * searches of such a carrier. Default none.
   */
  readonly byDay?: readonly CarrierId[] | undefined;
}

/** Checked options of one calendar. */
export interface ResolvedCalendarOptions {
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number;
  readonly carriers: readonly Carrier[];
  readonly byDay: ReadonlySet<CarrierId>;
}

const ACTION = 'make calendar';

/** Fills and checks the options of one calendar. */
export function resolveCalendarOptions(
  options: CalendarOptions,
  { deadlineMs, carriers }: Pick<ResolvedSearchOptions, 'deadlineMs' | 'carriers'>,
): ResolvedCalendarOptions {
  const rules = {
    deadlineMs: aDeadline,
    signal: aSignal,
    carriers: someIds,
    byDay: { expected: 'a list of ids', test: Array.isArray },
  };
  const checked = checkByRules(ACTION, options, rules) as CalendarOptions;
  const { byDay = [], carriers: ids, ...others } = presentFields(checked);
  const chosen = (option: string, some: readonly string[] | undefined): readonly Carrier[] =>
    chooseById({ action: ACTION, option, ids: some }, carriers);
  return {
    signal: undefined,
    deadlineMs,
    ...others,
    carriers: chosen('carriers', ids),
    byDay: new Set(chosen('byDay', byDay).map(({ id }) => id)),
  };
}
