import { percent, three } from '@ticketing/bench-kit';
import { figureOf, type Measured, spreadOf } from '../rounds/measure-rounds.ts';

/** Formats a cell: answers per second, spread over the rounds, and failed requests if there are any. */
export function rateText(cell: Measured): string {
  const failed = cell.samples.reduce((sum, sample) => sum + (sample['failed'] ?? 0), 0);
  const rate = `${three(figureOf(cell, 'perSecond'))} (${percent(spreadOf(cell, 'perSecond'))})`;
  return failed === 0 ? rate : `${rate}, ${failed} failed`;
}
