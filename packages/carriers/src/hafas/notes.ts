import type { Remark } from '@ticketing/core';
import { joinTexts, remarkOf } from '../wire/remarks.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { indexOf, itemsOf } from './lists.ts';

/** An entry of the lists of remarks and messages of an answer. */
export interface HafasNote {
  /** Remark for travellers. Absent: the note is for programs, or names the operator. */
  readonly remark?: Remark;
  readonly code?: string;
  /** Name of the operator, where an attribute has it. */
  readonly operator?: string;
}

/** The remarks and messages of an answer, each read once, when something points to it. */
export interface HafasNotes {
  /** Returns what the pointers of these lists point to, each once. What is no list, or points nowhere, is left aside. */
  at(...pointers: readonly unknown[]): ReadonlySet<HafasNote>;
}

/** Types of remarks about what does not go as planned; `M` is a text of the operator, `R` a real-time text. */
const DISRUPTIONS: ReadonlySet<unknown> = new Set([...'DGLMNOPQRUY']);

/** Codes of texts that are for programs: websites, numbers of stops, zones of fares, layouts of trains and platforms. */
const FOR_PROGRAMS: ReadonlySet<unknown> = new Set([
  ...['BB', 'IF', 'OZ', 'TD', 'TE', 'TW', 'JF', 'XP', 'XT', 'GT', 'NAME'],
  ...['EXTERNAL_ID', 'JOURNEYNUMBER'],
]);

const none: ReadonlySet<HafasNote> = new Set();
const empty: HafasNote = {};

/** Creates the notes of an answer from its common lists. */
export function createNotes({ remL, himL, icoL }: WireRecord): HafasNotes {
  const remarks = entriesOf(remL, (entry) => noteOf(entry, iconOf(icoL, entry)));
  const messages = entriesOf(himL, messageOf);
  return {
    at(...lists) {
      let found: Set<HafasNote> | undefined;
      for (const list of lists) {
        for (const pointer of itemsOf(list)) {
          const { type, remX, himX } = Object(pointer) as WireRecord;
          const note = type === 'HIM' ? messages(himX) : remarks(remX);
          if (note === undefined) continue;
          found ??= new Set();
          found.add(note);
        }
      }
      return found ?? none;
    },
  };
}

/** Returns the reader of a list's entries by their places: many things point to one entry, and it is read once. */
function entriesOf(
  list: unknown,
  read: (entry: WireRecord) => HafasNote,
): (pointer: unknown) => HafasNote | undefined {
  const entries = itemsOf(list);
  const known = new Map<number, HafasNote>();
  return (pointer) => {
    const at = indexOf(pointer);
    if (at === undefined || !Object.hasOwn(entries, at)) return;
    const before = known.get(at);
    if (before !== undefined) return before;
    const note = read(Object(entries[at]) as WireRecord);
    known.set(at, note);
    return note;
  };
}

function iconOf(icons: unknown, { icoX }: WireRecord): unknown {
  return Object(itemsOf(icons)[indexOf(icoX) ?? -1]).res;
}

function noteOf({ type, code, txtN, txtS, txtL }: WireRecord, icon: unknown): HafasNote {
  if (code === 'OPERATOR') {
    const operator = shownText(txtL) ?? shownText(txtN);
    return operator === undefined ? empty : { operator };
  }
  if (FOR_PROGRAMS.has(code) || txtN === 'NULL') return empty;
  // It only announces other texts, unless it is the sign of a cancelled train.
  if (type === 'C' && icon !== 'cancel') return empty;
  const isDisruption =
    icon === 'cancel' || icon === 'HimWarn' || (DISRUPTIONS.has(type) && icon !== 'HimLow');
  const texts = [joinTexts([txtN]) === undefined ? txtS : txtN];
  return withCode(remarkOf({ kind: isDisruption ? 'disruption' : 'info', texts, code }), code);
}

/** Messages of operators: works, closures, and what passengers shall know meanwhile. */
function messageOf({ act, head, lead, text, hid }: WireRecord): HafasNote {
  if (act === false) return empty;
  return withCode(remarkOf({ kind: 'disruption', texts: [head, lead, text], code: hid }), hid);
}

function withCode(remark: Remark | undefined, code: unknown): HafasNote {
  return {
    ...(remark && { remark }),
    ...(typeof code === 'string' && { code }),
  };
}
