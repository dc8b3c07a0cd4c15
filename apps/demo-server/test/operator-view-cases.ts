import type { Static } from 'typebox';
import { expect } from 'vitest';
import { operatorView } from '../src/figures/operator-view.ts';
import type { ProcessStatus } from '../src/figures/process-status.ts';
import { StatsDocument } from '../src/figures/stats-document.ts';
import { ServerView } from '../src/figures/view-schema.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { ConfigDocument } from '../src/http/api/config-document.ts';
import { getFrom } from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

/** What a server's processes reported, from its answer to `/stats`. */
export function statuses({ processes }: Static<typeof StatsDocument>): ProcessStatus[] {
  return processes.map(({ id, role, pid, state, ageMs, ...stats }) => {
    const isSilent = Object.keys(stats).length === 0;
    return { id, role, pid, state, ageMs, ...(!isSilent && { stats }) } as ProcessStatus;
  });
}

/** Makes the view of processes, which is as its schema says. */
export function viewOf(processes: readonly ProcessStatus[], ...argv: string[]): ServerView {
  const { flags } = readFlags(argv, {});
  const view = operatorView(processes, { at: 2, startedAt: 1, flags });
  expect(schemaErrors(ServerView, view)).toEqual([]);
  return view;
}

/** Counts, and that every answer is as its schema says. */
export async function statsAt(url: string): Promise<Static<typeof StatsDocument>> {
  const { body: config } = await getFrom(`${url}/config`);
  expect(schemaErrors(ConfigDocument, config)).toEqual([]);
  const { body } = await getFrom(`${url}/stats`);
  expect(schemaErrors(StatsDocument, body)).toEqual([]);
  expect(JSON.stringify(body)).not.toMatch(/\.\d{4}/);
  return body;
}

export const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
