import { percent, three } from '@ticketing/bench-kit';
import { figureOf, type Measured, spreadOf } from '../rounds/measure-rounds.ts';

/** A cell's answers a second, how far apart the rounds were, and how many requests failed if any did. */
export function rateText(cell: Measured): string {
  const failed = cell.samples.reduce((sum, sample) => sum + (sample['failed'] ?? 0), 0);
  const rate = `${three(figureOf(cell, 'perSecond'))} (${percent(spreadOf(cell, 'perSecond'))})`;
  return failed === 0 ? rate : `${rate}, ${failed} failed`;
}
