/** How many cases are tried in the fast loop. `test/full` sets more, then imports the same tests. */
export const scale = { runs: 300, calls: 3000, requests: 100 };
