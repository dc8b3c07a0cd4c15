/**
 * Returns whether an audit may pass, and a line that says why. `pnpm audit --json` prints a report of advisories, or an error
 * where the registry refuses the question or does not answer.
 */
export function auditVerdict({ status, stdout, stderr }) {
  const report = reportIn(stdout);
  if (report === undefined) {
    const reason = /responded with \d+|ERR_\w+|E[A-Z]{4,}/.exec(`${stderr}${stdout}`)?.[0];
    return { ok: true, line: `Not audited: the registry did not answer (${reason ?? status})` };
  }
  const advisories = Object.values(report.advisories ?? {});
  if (status === 0) return { ok: true, line: `Audited: ${advisories.length} below the level` };
  const named = advisories.map(
    ({ module_name, severity, url }) => `${module_name} ${severity} ${url}`,
  );
  return { ok: false, line: ['Known weaknesses:', ...named].join('\n  ') };
}

function reportIn(text) {
  try {
    const report = JSON.parse(text);
    return report.error === undefined && report.metadata !== undefined ? report : undefined;
  } catch {
    return undefined;
  }
}
