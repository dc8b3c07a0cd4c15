import { testListings } from '../europe-cases.ts';

testListings(100);
