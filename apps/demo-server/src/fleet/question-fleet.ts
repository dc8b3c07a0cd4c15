import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import type { NatsDispatcher, NatsHost } from '@ticketing/dispatch-nats';
import { versions } from '../operator/versions.ts';
import {
  type Finders,
  type Finds,
  fleetFinds,
  QUESTION_NAMES,
  type QuestionTasks,
  questionTasks,
} from '../questions.ts';
import type { KeysStats } from '../serving/serving.ts';
import { type FleetFlags, natsOptions, questionFleet, SOON } from './nats-options.ts';

/** A host that answers questions of the fleet whose keys it owns. */
export interface QuestionHost {
  readonly host: NatsHost;
  /** Lets others take its keys over, and answers what it has, within a time. */
  leave(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Membership of a fleet, for a process that has questions of its own. */
export interface QuestionFleet {
  /** Answers where the key belongs, with what this host has where that is here. */
  readonly finds: Finds;
  stats(): KeysStats;
  leave(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

interface QuestionHostOptions {
  readonly flags: FleetFlags;
  /** Names it in the fleet. Default: the name of the machine. */
  readonly name?: string;
  /** Figures for those that ask. */
  readonly report?: () => unknown;
}

/** Questions that one host answers at a time. They wait for carriers, so it is many. */
const CAPACITY = 4096;

/** Answers the questions of a fleet by `finders`, which share equal ones. */
export async function hostQuestions(
  finders: Finders,
  { flags, name, report }: QuestionHostOptions,
): Promise<QuestionHost> {
  const { serveNatsTasks } = await import('@ticketing/dispatch-nats');
  const dispatcher = createInProcessDispatcher(defineTasks(questionTasks(() => finders)), {
    name: 'questions',
  });
  const host = serveNatsTasks<QuestionTasks>({
    ...{ nats: natsOptions(flags, 'answers'), fleet: questionFleet(flags) },
    ...(name !== undefined && { hostId: name }),
    ...{ dispatcher, tasks: QUESTION_NAMES, capacity: CAPACITY },
    ...(flags.zone !== undefined && { zone: flags.zone }),
    ...(report && { report }),
    revision: versions.ticketing,
  });
  return {
    host,
    leave: async (timeoutMs) => void (await host.drain({ timeoutMs })),
    async close() {
      await host.close();
      await dispatcher.close();
    },
  };
}

/**
 * Makes this process a member of the fleet that shares questions: it answers those whose keys it owns for all, and asks the owners
 * of others. `finders` share equal questions here. Does not wait for NATS: until others are found, every key is its own.
 */
export async function joinQuestionFleet(
  finders: Finders,
  options: QuestionHostOptions,
): Promise<QuestionFleet> {
  const { flags } = options;
  const { createNatsDispatcher } = await import('@ticketing/dispatch-nats');
  const { host, leave, close } = await hostQuestions(finders, options);
  const owners: NatsDispatcher<QuestionTasks> = createNatsDispatcher<QuestionTasks>({
    ...{ nats: natsOptions(flags, 'asks'), fleet: questionFleet(flags), name: 'keys' },
    ...{ tasks: QUESTION_NAMES, ...SOON },
  });
  const isOwn = (key: string): boolean => {
    const owner = owners.ownerOf(key);
    return owner === undefined || owner === host.id;
  };
  let [own, others] = [0, 0];
  return {
    finds: fleetFinds(owners, {
      own: finders,
      isOwn(key) {
        const isHere = isOwn(key);
        if (isHere) own += 1;
        else others += 1;
        return isHere;
      },
    }),
    stats: () => ({
      ...{ own, others, coalesce: finders.document.stats() },
      worms: { coalesce: finders.worms.stats() },
      hosts: owners.fleet(),
      member: host.stats(),
      dispatch: owners.stats(),
    }),
    leave,
    async close() {
      await owners.close();
      await close();
    },
  };
}
