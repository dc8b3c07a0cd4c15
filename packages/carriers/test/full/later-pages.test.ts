import { faults, ids, testLaterPages } from '../later-pages-cases.ts';

testLaterPages(ids.flatMap((id) => Object.keys(faults).map((fault) => [id, fault] as const)));
