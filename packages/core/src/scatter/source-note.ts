import { type PresentFields, presentFields } from '../model/present-fields.ts';

/** Facts on how a source was asked, which its status has however it ends. Absent: there is nothing to report. */
export interface SourceNote {
  /** Attempts to ask the source, 2 or more. */
  readonly attempts?: number;
  /** True if a second request was sent because the first one was slow. */
  readonly hedged?: true;
  /** Kept answer: `fresh`, or `stale` if it is older than the source's answers are kept for. */
  readonly cache?: 'fresh' | 'stale';
  /** Age of the kept answer in milliseconds, 0 or more. */
  readonly ageMs?: number;
}

/** Facts to note; `undefined`, `attempts: 1` and `hedged: false` note nothing. */
export interface SourceFacts {
  readonly attempts?: number | undefined;
  readonly hedged?: boolean | undefined;
  readonly cache?: 'fresh' | 'stale' | undefined;
  readonly ageMs?: number | undefined;
}

/** Returns a note with more facts. A source that is asked in several parts has the most attempts and the greatest age of them, and is stale if one is. */
export function withFacts(note: SourceNote | undefined, facts: SourceFacts): SourceNote {
  const attempts = Math.max(note?.attempts ?? 1, facts.attempts ?? 1);
  const noted: { [Name in keyof SourceNote]-?: SourceNote[Name] | undefined } = {
    attempts: attempts > 1 ? attempts : undefined,
    hedged: note?.hedged || facts.hedged ? true : undefined,
    cache: note?.cache === 'stale' ? 'stale' : (facts.cache ?? note?.cache),
    ageMs: greater(note?.ageMs, facts.ageMs),
  };
  return presentFields(noted) as PresentFields<SourceNote>;
}

function greater(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Math.max(a, b ?? 0);
}
