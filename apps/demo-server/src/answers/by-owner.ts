import {
  createInProcessDispatcher,
  DispatchError,
  type Dispatcher,
  defineTasks,
} from '@ticketing/dispatch';
import type { NatsDispatcher, NatsHost } from '@ticketing/dispatch-nats';
import { type FleetFlags, natsOptions, questionFleet, SOON } from '../nats/nats-options.ts';
import { versions } from '../processes/versions.ts';
import { placeKey } from '../search/document-key.ts';
import { type AnswerTasks, answerTasks, askTask } from './answer-tasks.ts';
import type { Answers } from './answers.ts';
import { coalesceStats } from './answers-stats.ts';
import { everyQuestion, kinds, QUESTION_NAMES, type Questions } from './kinds.ts';
import { rejectRestored } from './restored-error.ts';

/** A host that answers questions of the fleet whose keys it owns. */
export interface QuestionHost {
  readonly host: NatsHost;
  close(): Promise<void>;
}

/** Answers of a member of a fleet. */
export interface FleetAnswers extends Answers {
  /** Lets other hosts take the keys of this one over, and answers what it has, within a time. Otherwise `close()` does, within the deadline. */
  leave(timeoutMs: number): Promise<void>;
}

interface QuestionHostOptions {
  readonly flags: FleetFlags;
  /** Name of the host in the fleet. Default: the name of the machine. */
  readonly name?: string;
  /** Figures for the members that ask. */
  readonly report?: () => unknown;
}

/** Questions that one host answers at a time. They wait for carriers, so it is many. */
const CAPACITY = 4096;

/** Answers the questions of a fleet by `answers`, which share equal ones. */
export async function hostQuestions(
  answers: Questions,
  { flags, name, report }: QuestionHostOptions,
): Promise<QuestionHost> {
  const { serveNatsTasks } = await import('@ticketing/dispatch-nats');
  const dispatcher = createInProcessDispatcher(defineTasks(answerTasks(() => answers)), {
    name: 'questions',
  });
  const host = serveNatsTasks<AnswerTasks>({
    nats: natsOptions(flags, 'answers'),
    fleet: questionFleet(flags),
    ...(name !== undefined && { hostId: name }),
    dispatcher,
    tasks: QUESTION_NAMES,
    capacity: CAPACITY,
    ...(flags.zone !== undefined && { zone: flags.zone }),
    ...(report && { report }),
    revision: versions.ticketing,
  });
  return {
    host,
    async close() {
      await host.close();
      await dispatcher.close();
    },
  };
}

/**
 * Answers on the host that a key belongs to, as a member of the fleet that shares questions: `own`, which shares equal ones here, answers
 * for all whose keys this host owns. Does not wait for NATS: until others are found, every key is its own.
 */
export async function byOwner(
  own: Answers,
  flags: FleetFlags & { readonly deadlineMs: number },
): Promise<FleetAnswers> {
  const { createNatsDispatcher } = await import('@ticketing/dispatch-nats');
  const { host, close } = await hostQuestions(own, { flags });
  const owners: NatsDispatcher<AnswerTasks> = createNatsDispatcher<AnswerTasks>({
    nats: natsOptions(flags, 'asks'),
    fleet: questionFleet(flags),
    name: 'keys',
    tasks: QUESTION_NAMES,
    ...SOON,
  });
  const asked = { own: 0, others: 0 };
  const questions = askOwners(own, {
    hosts: owners,
    isOwn(key) {
      const owner = owners.ownerOf(key);
      const isHere = owner === undefined || owner === host.id;
      asked[isHere ? 'own' : 'others'] += 1;
      return isHere;
    },
  });
  return {
    ...own,
    ...questions,
    stats() {
      const stats = own.stats();
      return {
        ...stats,
        keys: {
          ...asked,
          ...coalesceStats(stats),
          hosts: owners.fleet(),
          member: host.stats(),
          dispatch: owners.stats(),
        },
      };
    },
    leave: async (timeoutMs) => void (await host.drain({ timeoutMs })),
    async close() {
      await host.drain({ timeoutMs: flags.deadlineMs });
      await owners.close();
      await close();
      await own.close();
    },
  };
}

/**
 * Asks the host that owns a key: `own` answers for keys that belong to this one, without the network, and for those whose owner was lost
 * twice.
 */
export function askOwners(
  own: Questions,
  fleet: {
    readonly hosts: Pick<Dispatcher<AnswerTasks>, 'run'>;
    isOwn(key: string): boolean;
  },
): Questions {
  return everyQuestion((name) => (question, { signal, deadlineMs, key: known }) => {
    const key = known ?? kinds[name].keyOf(question);
    const options = { signal, deadlineMs, key };
    const place = placeKey(key);
    if (fleet.isOwn(place)) return own[name](question, options);
    const startedAt = performance.now();
    return askTask(fleet.hosts, { name, question, options: { ...options, key: place } }).catch(
      (error: unknown) => {
        const leftMs = Math.ceil(deadlineMs - (performance.now() - startedAt));
        if (!isWithoutOwner(error) || leftMs < 1) return rejectRestored(error);
        return own[name](question, { ...options, deadlineMs: leftMs });
      },
    );
  });
}

/** Returns whether an error shows that the owner is gone, or is about to be. Questions only read, so they may be asked again. */
function isWithoutOwner(error: unknown): boolean {
  return DispatchError.is(error) && LOST.has(error.code);
}

const LOST: ReadonlySet<string> = new Set([
  'ERR_WORKER_LOST',
  'ERR_CIRCUIT_OPEN',
  'ERR_NO_HOST',
  'ERR_CLOSED',
  'ERR_DRAINING',
]);
