import type { OperatorView } from '../operator/view-schema.ts';
import { byLabel, type Family, inSeconds, type Point, poolLabels } from './family.ts';

/** What is measured of fleets, as each process sees them. */
export const fleetFamilies: readonly Family[] = [
  {
    name: 'ticketing_fleet_hosts',
    help: 'Hosts of a fleet that a process knows, by state',
    type: 'gauge',
    points: ({ fleets, hosts }) =>
      fleets.flatMap(({ process, id: fleet }) => {
        const states = { joined: 0, known: 0, leaving: 0, silent: 0, refused: 0 };
        for (const host of hosts) {
          if (host.process === process && host.fleet === fleet) states[host.state] += 1;
        }
        return byLabel('state', { process, fleet }, states);
      }),
  },
  ofHosts('ticketing_fleet_host_rtt_seconds', 'Round trip of the last beat, by name of the host', {
    read: ({ rttMs }) => inSeconds(rttMs),
  }),
  ofHosts('ticketing_fleet_host_credit', 'Calls that a host takes at a time, by its name', {
    read: ({ credit }) => credit,
  }),
  {
    name: 'ticketing_fleet_refused_total',
    help: 'Hosts that were passed over, by reason',
    type: 'counter',
    points: ({ fleets }) =>
      fleets.flatMap(({ process, id: fleet, refused }) =>
        byLabel('reason', { process, fleet }, refused),
      ),
  },
  {
    name: 'ticketing_fleet_lost_total',
    help: 'Hosts that were lost, by the sign of it',
    type: 'counter',
    points: ({ fleets }) =>
      fleets.flatMap(({ process, id: fleet, lost }) => byLabel('sign', { process, fleet }, lost)),
  },
  {
    name: 'ticketing_dispatch_fallback_total',
    help: 'Calls that no host took: those that ran in the server process, those that were refused',
    type: 'counter',
    points: ({ pools }) =>
      pools.flatMap(({ fallback, ...pool }) =>
        fallback === undefined ? [] : byLabel('outcome', poolLabels(pool), fallback),
      ),
  },
  {
    name: 'ticketing_fleet_questions_total',
    help: 'Questions by where their key belongs: here, or on another host',
    type: 'counter',
    points: ({ fleets }) =>
      fleets.flatMap(({ process, own, others }) =>
        own === undefined || others === undefined
          ? []
          : byLabel('owner', { process }, { own, others }),
      ),
  },
  {
    name: 'ticketing_fleet_served_total',
    help: 'Questions of others by how they ended; busy: sent back',
    type: 'counter',
    points: ({ fleets }) =>
      fleets.flatMap(({ process, served }) => {
        if (served === undefined) return [];
        const { completed, failed, aborted, busy } = served;
        return byLabel('outcome', { process }, { completed, failed, aborted, busy });
      }),
  },
];

/** A figure of each host that has it. Hosts of one name, which are few, have the highest. */
function ofHosts(
  name: string,
  help: string,
  { read }: { readonly read: (host: OperatorView['hosts'][number]) => number | undefined },
): Family {
  return {
    name,
    help,
    type: 'gauge',
    points: ({ hosts }) => {
      const found = new Map<string, Point>();
      for (const host of hosts) {
        const value = read(host);
        if (value === undefined) continue;
        const labels = { process: host.process, fleet: host.fleet, host: host.name };
        const key = Object.values(labels).join(' ');
        if ((found.get(key)?.value ?? -1) < value) found.set(key, { labels, value });
      }
      return [...found.values()];
    },
  };
}
