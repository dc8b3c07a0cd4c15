import { testChangingClocks, testDays, testListings, testThousands } from '../timetable-cases.ts';

testDays(60);
testListings(100);
testThousands(['2026-03-29', '2026-10-25', '2026-12-01']);
testChangingClocks(['2026-10-24', '2026-10-25', '2027-10-31']);
