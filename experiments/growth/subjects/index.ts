import type { Subject } from '../subject.ts';
import { answersSubject } from './answers.ts';
import { coalescingSubjects } from './coalescing.ts';
import { connectionsSubjects } from './connections.ts';
import { journeysSubjects } from './journeys.ts';
import { sourcesSubject } from './sources.ts';
import { streamsSubject } from './streams.ts';
import { tasksSubjects } from './tasks.ts';
import { textsSubject } from './texts.ts';

/** Everything whose growth is measured. */
export const SUBJECTS: readonly Subject[] = [
  ...journeysSubjects,
  sourcesSubject,
  ...coalescingSubjects,
  streamsSubject,
  ...tasksSubjects,
  textsSubject,
  answersSubject,
  ...connectionsSubjects,
];
