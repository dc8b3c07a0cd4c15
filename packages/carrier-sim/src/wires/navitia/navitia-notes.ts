import { describeRun, type SimRemark } from '../../timetable/europe/run-details.ts';
import type { TrainRun } from '../../timetable/train.ts';

/** Effects of disruptions, by their codes; any other has none that is known. */
const effects: Readonly<Record<string, string>> = {
  'text.realtime.journey.cancelled': 'NO_SERVICE',
  delay: 'SIGNIFICANT_DELAYS',
};

/** Returns the effect of a disruption. */
function effectOf({ code }: Pick<SimRemark, 'code'>): string {
  return effects[code] ?? 'OTHER_EFFECT';
}

/** Returns the effect of the worst disruption of some trains, empty without one. */
export function statusOf(runs: readonly TrainRun[]): string {
  const found = runs.flatMap(disruptionsOf).map(effectOf);
  return (
    ['NO_SERVICE', 'SIGNIFICANT_DELAYS', 'OTHER_EFFECT'].find((one) => found.includes(one)) ?? ''
  );
}

function disruptionsOf(run: TrainRun): readonly SimRemark[] {
  return describeRun(run).remarks.filter(({ kind }) => kind === 'disruption');
}

function noticesOf(run: TrainRun): readonly SimRemark[] {
  return describeRun(run).remarks.filter(({ kind }) => kind === 'info');
}

/** Returns the references of a train to its disruptions. */
export function disruptionLinks(run: TrainRun): readonly object[] {
  return disruptionsOf(run).map(({ code }) => ({
    id: disruptionId(code),
    type: 'disruption',
    rel: 'disruptions',
    internal: true,
    templated: false,
  }));
}

/** Returns the references of a train to its notes. */
export function noteLinks(run: TrainRun): readonly object[] {
  return noticesOf(run).map((notice) => ({
    ...noteOf(notice),
    rel: 'notes',
    internal: true,
    templated: false,
  }));
}

/** Returns the notes and the disruptions of trains, each once. */
export function notesOfAll(runs: readonly TrainRun[]): {
  readonly notes: readonly object[];
  readonly disruptions: readonly object[];
} {
  const once = (some: readonly SimRemark[]): readonly SimRemark[] => [
    ...new Map(some.map((one) => [one.code, one])).values(),
  ];
  return {
    notes: once(runs.flatMap(noticesOf)).map(noteOf),
    disruptions: once(runs.flatMap(disruptionsOf)).map(disruptionOf),
  };
}

function noteOf({ code, texts }: SimRemark): object {
  return { id: `note:${code}`, type: 'notes', category: 'comment', value: texts.join('. ') };
}

function disruptionOf(remark: SimRemark): object {
  const id = disruptionId(remark.code);
  const effect = effectOf(remark);
  const channel = { id: 'web', name: 'web', content_type: 'text/html', types: ['web'] };
  return {
    id,
    disruption_id: id,
    impact_id: id,
    status: 'active',
    severity: { name: effect.toLowerCase().replaceAll('_', ' '), effect, priority: 1 },
    cause: '',
    contributor: 'simulated',
    // The time of an answer is none of the timetable's: equal questions have equal bytes.
    updated_at: '20260101T000000',
    messages: remark.texts.map((text) => ({ text: text.replaceAll('&', '&amp;'), channel })),
    impacted_objects: [],
  };
}

function disruptionId(code: string): string {
  return `disruption:${code}`;
}
