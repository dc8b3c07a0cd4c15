import { type MoneyFormat, parseMoney } from '@ticketing/core';
import { isObject, type Json, objectsOf } from './json.ts';
import type { Row, Stated } from './stated.ts';

const DATE = /new Date\((-?\d{1,20})\)/g;
/** Texts, also one that does not end, and words. */
const PIECES = /"(?:[^"\\]|\\.)*"?|[A-Za-z_$][\w$]*/gs;
const FORMAT: MoneyFormat = { currency: 'EUR', decimal: ',' };

/** Returns the trains of a script of the shop that is JSON but for its keys and dates; nothing of any other. Prices are per person. */
export function renfeRows(body: Uint8Array, passengers: number): readonly Row[] | undefined {
  const script = new TextDecoder().decode(body);
  const call = script.indexOf('handleCallback(');
  const [from, to] = [script.indexOf('{', call), script.lastIndexOf('});') + 1];
  if (call < 0 || from < 0 || to <= from) return undefined;
  const [before, after] = [script.slice(0, from), script.slice(to)];
  const reply = parse(script.slice(from, to));
  if (reply === undefined) return undefined;
  const lists = objectsOf(reply['listadoTrenes']).filter((list) => list['viajeIda'] !== false);
  return lists.flatMap((list) =>
    objectsOf(list['listviajeViewEnlaceBean']).map((train): Row => {
      const listadoTrenes = [{ ...list, listviajeViewEnlaceBean: [train] }];
      const text = before + JSON.stringify({ ...reply, listadoTrenes }) + after;
      return { body: new TextEncoder().encode(text), stated: statedBy(train, passengers) };
    }),
  );
}

function parse(literal: string): Json | undefined {
  const text = literal
    .replace(DATE, '$1')
    // A word before a colon is a key, the others are values.
    .replace(PIECES, (piece: string, at: number, whole: string) =>
      piece.startsWith('"') || whole[at + piece.length] !== ':' ? piece : `"${piece}"`,
    );
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function statedBy(train: Json, passengers: number): Stated {
  const { duracionViajeTotalEnMinutos: minutes, tarifaMinima: least, trayectos } = train;
  // The least price may be one of a place that is kept for wheelchairs.
  const isForAll = objectsOf(train['tarifasDisponibles']).every((fare) => !fare['soloPlazasH']);
  const price = typeof least === 'string' && isForAll ? parseMoney(least, FORMAT) : undefined;
  return {
    minutes: typeof minutes === 'number' ? minutes : undefined,
    changes: train['directo'] === true ? 0 : objectsOf(trayectos).length - 1,
    ...(price && { total: { ...price, amount: price.amount * passengers } }),
  };
}
