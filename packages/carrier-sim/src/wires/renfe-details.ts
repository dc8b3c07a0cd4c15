import { describeRun } from '../timetable/europe/run-details.ts';
import type { TrainRun } from '../timetable/train.ts';

/** Notices of a train as HTML, as Renfe writes them. */
export interface RenfeIncident {
  readonly [field: string]: string;
  readonly cdgoInc: string;
  readonly description: string;
  readonly icon: string;
}

/** Returns the notices of a train, each with an empty line and the name of its picture. */
export function incidentsOf(run: TrainRun): readonly RenfeIncident[] {
  return describeRun(run).remarks.map(({ code, texts }) => {
    const [first = '', ...others] = texts.join('. ').replaceAll('&', '&amp;').split(' ');
    return {
      cdgoInc: code,
      description: `<b>${first}</b> ${others.join('&nbsp;')}<br>`,
      icon: 'incid.gif           ',
    };
  });
}
