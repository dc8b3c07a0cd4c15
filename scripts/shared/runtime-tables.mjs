// Tables of docs/guides/bun-and-deno.md: `| entry | Bun | Deno |` with `works`, `with limits` or `no`, and for each that is not `works`
// rows `| entry | runtime | case | because |`, where `all` stands for each case.

/** Returns how many cases pass, as a cell of the first table. */
export function verdictOf(cases, failed) {
  if (failed.length === 0) return 'works';
  return cases.every((name) => failed.includes(name)) ? 'no' : 'with limits';
}

/** Returns the cases that fail and should pass, or pass and should fail; other failures, such as uncaught errors, too. */
export function differences({ verdict, limits }, { cases, failed }) {
  const expected = limits.includes('all') ? cases : limits;
  const unforeseen = failed.filter((name) => cases.includes(name) || verdict !== 'no');
  const differing = [
    ...unforeseen.filter((name) => !expected.includes(name)),
    ...expected.filter((name) => !failed.includes(name)),
  ];
  if (differing.length > 0) return differing;
  const shown = verdictOf(cases, failed);
  return shown === verdict ? [] : [`the cell must be \`${shown}\``];
}

/** Reads both tables of a page. Names of entries and cases are compared without backticks. */
export function readTables(page) {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => bare(cell)),
    );
  const head = rows.find(([first]) => first === 'entry') ?? [];
  const runtimes = head.slice(1);
  const verdicts = rows.filter((row) => row.length === head.length && row !== head);
  const limits = rows.filter(([, runtime, , because]) => because && runtimes.includes(runtime));
  const limitsOf = (entry, runtime) =>
    limits.filter(([of, on]) => of === bare(entry) && on === runtime).map(([, , name]) => name);
  return {
    promised(entry, runtime) {
      const row = verdicts.find(([of]) => of === bare(entry));
      return { verdict: row?.[head.indexOf(runtime)], limits: limitsOf(entry, runtime) };
    },
    /** Returns what is wrong with the tables beside a suite that has these entries. */
    faultsBeside(entries) {
      const named = verdicts.map(([of]) => of);
      const known = entries.map(bare);
      return [
        ...known.filter((entry) => !named.includes(entry)).map((entry) => `${entry}: no row`),
        ...named.filter((entry) => !known.includes(entry)).map((entry) => `${entry}: no cases`),
        ...limits
          .filter(([of]) => !named.includes(of))
          .map(([of, on]) => `${of}: a limit on ${on}, and no row`),
      ];
    },
  };
}

function bare(text) {
  return text.replaceAll('`', '').trim();
}
