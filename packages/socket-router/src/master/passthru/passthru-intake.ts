import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { answerFailure } from '../../answers/answer-failure.ts';
import { refuseSocket } from '../../answers/refuse-socket.ts';
import { createDoorPools, type DoorPools } from '../../proxying/door-pools.ts';
import { type ProxyOutcome, proxyRequest } from '../../proxying/proxy-request.ts';
import { proxyUpgrade } from '../../proxying/proxy-upgrade.ts';
import { ANY_WORKER, type Choice, decide } from '../../routing/decide.ts';
import { headOfRequest } from '../../routing/head-views.ts';
import { monotonicMs } from '../../wire/monotonic-clock.ts';
import type { Intake, IntakeParts } from '../intake.ts';
import { LaneChooser } from '../lane-chooser.ts';
import type { WorkerLane } from '../worker-lane.ts';
import { FrontServer } from './front-server.ts';
import { Lobby } from './lobby.ts';
import { readAgain } from './request-head.ts';

/** How often a request is sent anew when its worker is lost: one that ends its workers ends no more than three. */
const MAX_LOST = 2;

/** Milliseconds after which the end of a process is known whose connection broke by it. */
const GONE_MS = 250;

/** A request that is not sent on yet. */
interface Asked {
  readonly request: IncomingMessage;
  /** The client's, as far as it is known. */
  readonly remoteAddress: string | undefined;
  readonly send: (lane: WorkerLane) => void;
  readonly refuse: (status: number) => void;
  choice: Choice;
  /** Could not be reached, or did not answer. */
  readonly avoid: Set<WorkerLane>;
  /** How often a connection broke that it was sent on. */
  lost: number;
}

/** Mode `passthru`: requests are read here and sent on to the unix sockets of workers, each to its own. */
export class PassthruIntake implements Intake {
  readonly #parts: IntakeParts;
  readonly #front: FrontServer;
  readonly #chooser: LaneChooser;
  readonly #lobby: Lobby<Asked>;
  /** Before the first client comes. */
  #pools: DoorPools | undefined;
  #finished: (() => void) | undefined;

  constructor(parts: IntakeParts) {
    const { options, fleet, counts } = parts;
    this.#parts = parts;
    this.#front = new FrontServer(options, {
      accepted: () => {
        counts.accepted += 1;
      },
      request: (request, response) => this.#askRequest(request, response),
      upgrade: (request, socket, early) => this.#askUpgrade(request, socket, early),
      refused: (status, reason) => this.#count(status, reason),
      emptied: () => this.#finished?.(),
    });
    this.#chooser = new LaneChooser(fleet, {
      loadFactor: options.loadFactor,
      hasRoom: (lane) => lane.proxied < options.limits.queuePerWorker,
    });
    this.#lobby = new Lobby(options.limits.headTimeoutMs, (asked) => {
      this.#refuse(asked, 503, 'worker-timeout');
    });
  }

  get server(): Server {
    return this.#front.server;
  }

  async prepare(): Promise<void> {
    this.#pools = await createDoorPools();
  }

  workersChanged(): void {
    const { fleet } = this.#parts;
    this.#pools?.keep(new Set([...fleet.lanes].map((lane) => fleet.doorOf(lane))));
    for (const asked of this.#lobby.take()) this.#place(asked);
  }

  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      this.#front.closeIdle();
      if (this.#front.connections === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const asked of this.#lobby.take()) this.#refuse(asked, 503, 'closing');
  }

  destroy(): void {
    this.#front.destroy();
    void this.#pools?.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: 0, waiting: this.#lobby.size };
  }

  #askRequest(request: IncomingMessage, response: ServerResponse): void {
    const remoteAddress = this.#addressOf(request.socket);
    const arrivedAt = monotonicMs();
    const asked: Asked = {
      request,
      remoteAddress,
      choice: ANY_WORKER,
      avoid: new Set(),
      lost: 0,
      refuse: (status) => answerFailure(response, status),
      send: (lane) => {
        const dispatcher = this.#poolOf(lane);
        const isLast = this.#finished !== undefined;
        const ended = (outcome: ProxyOutcome): void => {
          lane.proxied -= 1;
          this.#ended(asked, lane, outcome);
        };
        const by = { remoteAddress, arrivedAt };
        proxyRequest({ request, response, ...by, dispatcher, isLast, ended });
      },
    };
    this.#route(asked);
  }

  #askUpgrade(request: IncomingMessage, socket: Socket, early: Buffer): void {
    const remoteAddress = this.#addressOf(socket);
    const arrivedAt = monotonicMs();
    const asked: Asked = {
      request,
      remoteAddress,
      choice: ANY_WORKER,
      avoid: new Set(),
      lost: 0,
      refuse: (status) => refuseSocket(socket, status),
      send: (lane) => {
        const ended = (outcome: ProxyOutcome): void => {
          lane.proxied -= 1;
          this.#ended(asked, lane, outcome);
        };
        const door = this.#doorOf(lane);
        proxyUpgrade({ request, socket, early, door, remoteAddress, arrivedAt, ended });
      },
    };
    this.#route(asked);
  }

  #route(asked: Asked): void {
    const { request, remoteAddress } = asked;
    const head = readAgain(request);
    if (head.kind === 'refused') {
      this.#refuse(asked, head.status, head.reason);
      return;
    }
    const proxy = this.#front.addressesOf(request.socket);
    const decision = decide(this.#parts.options.route, () =>
      headOfRequest(request, remoteAddress, proxy),
    );
    if (decision.kind === 'refuse') {
      this.#refuse(asked, decision.status, decision.reason);
    } else {
      asked.choice = decision.choice;
      this.#place(asked);
    }
  }

  #place(asked: Asked): void {
    if (asked.request.socket.destroyed) {
      this.#parts.counts.gone += 1;
      return;
    }
    const place = this.#chooser.find(asked.choice, asked.avoid);
    if (place === 'wait') this.#lobby.add(asked);
    else if (typeof place === 'string') this.#refuse(asked, 503, place);
    else this.#send(asked, place);
  }

  #send(asked: Asked, lane: WorkerLane): void {
    lane.proxied += 1;
    lane.handedOver += 1;
    this.#parts.counts.handedOver += 1;
    asked.send(lane);
  }

  #ended(asked: Asked, lane: WorkerLane, outcome: ProxyOutcome): void {
    if (outcome === 'unreached') {
      // Nothing of it was sent: another worker may have it.
      this.#parts.counts.handedOver -= 1;
      this.#parts.counts.rerouted += 1;
      asked.avoid.add(lane);
      this.#place(asked);
    } else if (outcome === 'unanswered') {
      this.#askAnother(asked, lane);
    } else if (outcome === 'failed') {
      this.#refuse(asked, 502, 'worker-failed');
    } else if (outcome === 'unsendable') {
      this.#parts.counts.handedOver -= 1;
      this.#refuse(asked, 501, 'not-proxied');
    }
  }

  /** The connection to a worker broke: whether the worker is gone or gave up this request is not known yet. */
  #askAnother(asked: Asked, lane: WorkerLane): void {
    asked.lost += 1;
    asked.avoid.add(lane);
    if (asked.lost > MAX_LOST) {
      this.#refuse(asked, 502, 'worker-failed');
      return;
    }
    this.#parts.counts.handedOver -= 1;
    this.#parts.counts.rerouted += 1;
    this.#place(asked);
    setTimeout(() => {
      // There is no other worker, and this one lives: nobody is to come for whom the request could wait.
      if (lane.state === 'ready' && this.#lobby.remove(asked)) {
        this.#refuse(asked, 502, 'worker-failed');
      }
    }, GONE_MS);
  }

  #refuse(asked: Asked, status: number, reason: string): void {
    asked.refuse(status);
    this.#count(status, reason);
  }

  #count(status: number, reason: string): void {
    this.#parts.counts.refused += 1;
    this.#parts.emitter.emit('refused', { status, reason });
  }

  #poolOf(lane: WorkerLane): Dispatcher {
    return (this.#pools as DoorPools).get(this.#doorOf(lane));
  }

  #doorOf(lane: WorkerLane): string {
    // Every lane of this mode has one.
    return this.#parts.fleet.doorOf(lane) as string;
  }

  #addressOf(socket: Socket): string | undefined {
    return this.#front.addressesOf(socket)?.source.address ?? socket.remoteAddress;
  }
}
