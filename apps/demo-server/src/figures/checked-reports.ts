import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { HostReport, TaskWorkerReport } from './stats-document.ts';
import { ReportOfHost, TaskReport } from './stats-document.ts';

/** A report that comes from another machine is no larger than this, in characters of JSON. */
const MAX_REPORT = 262_144;

/** Returns what a host reports of itself; undefined before its first report, and for anything else, as of another version. */
export function hostReportOf(moduleReport: unknown): HostReport | undefined {
  return isSound(ReportOfHost, moduleReport) ? (moduleReport as HostReport) : undefined;
}

/** Returns what a worker of tasks reports of itself; undefined before its first report, and for anything else. */
export function taskReportOf(moduleReport: unknown): TaskWorkerReport | undefined {
  return isSound(TaskReport, moduleReport) ? (moduleReport as TaskWorkerReport) : undefined;
}

function isSound(schema: TSchema, report: unknown): boolean {
  if (typeof report !== 'object' || report === null) return false;
  try {
    return Value.Check(schema, report) && JSON.stringify(report).length <= MAX_REPORT;
  } catch {
    // A circle, or a bigint.
    return false;
  }
}
