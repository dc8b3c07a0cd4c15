import { hostname } from 'node:os';

/** Subjects of a fleet. Hosts and dispatchers are two tokens, a name and a part that is new at every start. */
export function subjectsOf(fleet: string): FleetSubjects {
  const prefix = `tt.${fleet}`;
  return {
    here: `${prefix}.here`,
    who: `${prefix}.who`,
    open: (host) => `${prefix}.h.${host}.open`,
    toHost: (host, dispatcher, session) => `${prefix}.s.${host}.${dispatcher}.${session}`,
    toDispatcher: (dispatcher, session) => `${prefix}.d.${dispatcher}.${session}`,
    ofHost: (host) => `${prefix}.s.${host}.>`,
    ofDispatcher: (dispatcher) => `${prefix}.d.${dispatcher}.>`,
    task: (task) => `${prefix}.t.${task}`,
  };
}

export interface FleetSubjects {
  /** Announcements of hosts. */
  readonly here: string;
  /** Asks all hosts for one. */
  readonly who: string;
  /** Where a host opens sessions. */
  open(host: string): string;
  toHost(host: string, dispatcher: string, session: number | string): string;
  toDispatcher(dispatcher: string, session: number | string): string;
  /** All sessions of a host, of a dispatcher. */
  ofHost(host: string): string;
  ofDispatcher(dispatcher: string): string;
  /** JSON requests for a task. */
  task(task: string): string;
}

const SYMBOLS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const NEW_SYMBOLS = 8;

/** Returns an id that is new: two hosts of one id would answer one session. */
export function newIdentity(name: string, random: () => number): string {
  let fresh = '';
  for (let count = 0; count < NEW_SYMBOLS; count += 1) {
    fresh += SYMBOLS[Math.floor(random() * SYMBOLS.length)];
  }
  return `${subjectToken(name)}.${fresh}`;
}

/** The name of this machine, as a host's. */
export function machineName(): string {
  return subjectToken(hostname()) || 'host';
}

/** Returns a name as one token of a subject: others than a-z, 0-9 and `-` become `-`, 32 at most. */
function subjectToken(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, '-')
      .slice(0, 32) || '-'
  );
}

const identity = /^[a-z0-9-]{1,32}\.[a-z0-9]{8}$/;

/** Whether a text can be part of a subject without changing its meaning. */
export function isIdentity(value: unknown): value is string {
  return typeof value === 'string' && identity.test(value);
}
