// Every study: of `pnpm experiments`, and of `pnpm chaos`.
import { oneChildPerCarrier } from './01-one-child-per-carrier/experiment.ts';
import { cluster } from './02-cluster/experiment.ts';
import { socket } from './03-socket/experiment.ts';
import { batching } from './04-batching/experiment.ts';
import { fleet } from './05-fleet/experiment.ts';
import { decode } from './06-decode/experiment.ts';
import { chaos } from './chaos/report.ts';

/** Studies of `pnpm experiments`. */
export const experiments = [oneChildPerCarrier, cluster, socket, batching, fleet, decode] as const;

/** Studies whose verdicts the overview has. */
export const studies = [...experiments, chaos] as const;
