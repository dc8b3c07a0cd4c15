import { parseArgs } from 'node:util';
import { UsageError } from '../experiment-flags.ts';
import { positive, withFlagsJoined } from '../scenarios/load-flags.ts';
import { ACCEPTS, type Combination, DISPATCHES } from './overload.ts';

const QUESTIONS = ['search', 'compute'] as const;

/** The command line of `pnpm load --scenario overload`. */
export interface OverloadFlags {
  readonly combinations: readonly Combination[];
  readonly questions: readonly (typeof QUESTIONS)[number][];
  readonly multiples: readonly number[];
  /** Duration of each flood. */
  readonly seconds: number;
  readonly demoFlags: readonly string[];
  /** Folder of the results; without it a temporary one. */
  readonly out: string | undefined;
  /** Results of an earlier run, to compare with. */
  readonly before: string | undefined;
}

/**
 * Reads `--scenario overload [--accept single,cluster] [--dispatch in-process] [--ask search,compute] [--multiples 1,2,4,8]
 * [--duration 4] [--flags "…"] [--out folder] [--before results.json]`.
 *
 * @throws UsageError for anything else
 */
export function overloadFlags(argv: readonly string[]): OverloadFlags {
  const given = parsed(argv);
  const accepts = someOf('--accept', given.accept, ACCEPTS);
  const dispatches = someOf('--dispatch', given.dispatch, DISPATCHES);
  return {
    combinations: accepts.flatMap((accept) => dispatches.map((dispatch) => ({ accept, dispatch }))),
    questions: someOf('--ask', given.ask, QUESTIONS),
    multiples: given.multiples.split(',').map((each) => positive('--multiples', each, 64)),
    seconds: positive('--duration', given.duration, 600),
    demoFlags: given.flags.split(/\s+/).filter((flag) => flag !== ''),
    out: given.out,
    before: given.before,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: withFlagsJoined(argv.filter((each) => each !== '--')),
      allowPositionals: false,
      options: {
        scenario: { type: 'string' },
        accept: { type: 'string', default: ACCEPTS.join(',') },
        dispatch: { type: 'string', default: DISPATCHES.join(',') },
        ask: { type: 'string', default: QUESTIONS.join(',') },
        multiples: { type: 'string', default: '1,2,4,8' },
        duration: { type: 'string', default: '4' },
        flags: { type: 'string', default: '' },
        out: { type: 'string' },
        before: { type: 'string' },
      },
    }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageError(`Cannot load: flags of the README expected. ${reason}`);
  }
}

function someOf<T extends string>(name: string, text: string, known: readonly T[]): readonly T[] {
  const asked = text.split(',');
  const unknown = asked.find((each) => !(known as readonly string[]).includes(each));
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot load: ${name} must be some of ${known.join(',')}, got '${unknown}'`,
    );
  }
  return known.filter((each) => asked.includes(each));
}
