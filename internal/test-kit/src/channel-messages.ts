import { channel } from 'node:diagnostics_channel';

/** Fields of the messages of each channel, which the compiler holds to their types: a field too few or too many does not compile. */
export type FieldsOf<Messages> = {
  readonly [Name in keyof Messages]: Readonly<Record<FieldOf<Messages[Name]>, true>>;
};

type FieldOf<Message> = Message extends unknown ? keyof Message : never;

/** Names of the fields of each channel, in the order of the alphabet. */
export type FieldNames = Readonly<Record<string, readonly string[]>>;

/** Returns the names of the fields of each channel, to be compared with others. */
export function fieldNames(fields: Readonly<Record<string, object>>): FieldNames {
  return sorted(Object.entries(fields).map(([name, each]) => [name, Object.keys(each)]));
}

/**
 * Returns the fields that a page gives for each channel: rows of its tables with a channel in the first cell, and in the second
 * each field in backticks, alone or in braces: `` `{ name, kind: 'a' | 'b' }`, then `ms` ``. For the messages of one channel that
 * differ in their `type`, `rows` matches these instead.
 */
export function documentedFields(
  page: string,
  rows: RegExp = /^(tracing:)?ticketing:/,
): FieldNames {
  const all = [...page.matchAll(/^\| `([\w:-]+)` +\|((?:\\\||[^|])+)\|/gm)];
  const found = all.filter(([, name = '']) => rows.test(name));
  return sorted(found.map(([, name = '', cell = '']) => [name, fieldsIn(cell)]));
}

function fieldsIn(cell: string): string[] {
  const quoted = [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return quoted.flatMap((text) =>
    text
      .replaceAll(/[{}]/g, '')
      .split(',')
      .map((field) => (field.split(':')[0] ?? '').trim().replace(/\?$/, '')),
  );
}

/** Fields of the messages that are published while a test runs. */
export interface RecordedFields {
  /** Returns the fields that any message of each channel had so far. */
  names(): FieldNames;
  /** Ends the subscriptions. */
  end(): void;
}

/** Records the fields of all messages of channels; of a `tracing:` channel, in all its events. */
export function recordFields(channels: Iterable<string>): RecordedFields {
  const seen = new Map<string, Set<string>>();
  const ends = [...channels].flatMap((name) => {
    const fields = new Set<string>();
    seen.set(name, fields);
    const note = (message: unknown): void => {
      for (const field of Object.keys(message as object)) fields.add(field);
    };
    return eventsOf(name).map((event) => {
      channel(event).subscribe(note);
      return () => void channel(event).unsubscribe(note);
    });
  });
  return {
    names: () => sorted([...seen].map(([name, fields]) => [name, [...fields]])),
    end() {
      for (const end of ends) end();
    },
  };
}

function eventsOf(name: string): readonly string[] {
  if (!name.startsWith('tracing:')) return [name];
  return ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => `${name}:${event}`);
}

function sorted(entries: readonly (readonly [string, readonly string[]])[]): FieldNames {
  const byName = entries.map(([name, fields]) => [name, fields.toSorted()] as const);
  return Object.fromEntries(byName.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
