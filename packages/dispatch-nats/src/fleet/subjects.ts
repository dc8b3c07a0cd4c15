import { hostname } from 'node:os';

/** Returns the subjects of a fleet. Ids of hosts and dispatchers are two tokens: a name, and a part that is new at every start. */
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

/** Subjects of NATS that the members of a fleet use. */
export interface FleetSubjects {
  /** Subject of the announcements of hosts. */
  readonly here: string;
  /** Subject of requests to all hosts for an announcement. */
  readonly who: string;
  /** Returns the subject of openings for a host. */
  open(host: string): string;
  toHost(host: string, dispatcher: string, session: number | string): string;
  toDispatcher(dispatcher: string, session: number | string): string;
  /** Returns the wildcard subject of all sessions of a host. */
  ofHost(host: string): string;
  /** Returns the wildcard subject of all sessions of a dispatcher. */
  ofDispatcher(dispatcher: string): string;
  /** Returns the subject of JSON requests for a task. */
  task(task: string): string;
}

const SYMBOLS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const NEW_SYMBOLS = 8;

/** Returns an id that is new at every start, because two hosts with one id would answer one session. */
export function newIdentity(name: string, random: () => number): string {
  let fresh = '';
  for (let count = 0; count < NEW_SYMBOLS; count += 1) {
    fresh += SYMBOLS[Math.floor(random() * SYMBOLS.length)];
  }
  return `${subjectToken(name)}.${fresh}`;
}

/** Returns the name of this machine as a name for a host. */
export function machineName(): string {
  return subjectToken(hostname()) || 'host';
}

/** Returns a name as one token of a subject: at most 32 characters, with `-` for any other than a-z, 0-9 and `-`. */
function subjectToken(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, '-')
      .slice(0, 32) || '-'
  );
}

const identity = /^[a-z0-9-]{1,32}\.[a-z0-9]{8}$/;

/** Returns true for the id of a host or a dispatcher, which can be a part of a subject without changing its meaning. */
export function isIdentity(value: unknown): value is string {
  return typeof value === 'string' && identity.test(value);
}
