// The properties in full length: every half hour of the zones, thousands of merges.
import '../local-clock.test.ts';
import '../merge-properties.test.ts';
