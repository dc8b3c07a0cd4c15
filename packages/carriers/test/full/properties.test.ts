// The properties in full length: thousands of edited answers, 1,000 searches.
import '../fuzz.test.ts';
import '../search.test.ts';
