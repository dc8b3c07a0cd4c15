/** Metrics that dashboards and alerts may name, with the labels of their series, in the order of `/metrics`. */
export const METRIC_NAMES = `
ticketing_info{version,node,accept,dispatch,coalesce}
ticketing_process_up{process}
http_server_request_duration_seconds{process,http_request_method,http_route,http_response_status_code}
http_server_active_requests{process}
ticketing_search_total{process,outcome}
ticketing_carrier_duration_seconds{process,carrier,state}
ticketing_carrier_http_sent_total{process,carrier}
ticketing_carrier_http_retried_total{process,carrier}
ticketing_carrier_http_refused_total{process,carrier}
ticketing_guard_circuit{process,name,state}
ticketing_guard_opened_total{process,name}
ticketing_guard_paused_seconds{process,name}
ticketing_guard_pauses_total{process,name}
ticketing_guard_active{process,name}
ticketing_guard_attempts_total{process,name,outcome}
ticketing_guard_retries_total{process,name}
ticketing_guard_hedges_total{process,name}
ticketing_guard_refused_total{process,name,part}
ticketing_coalescer_calls_total{process,name,scope,outcome}
ticketing_dispatch_tasks_total{process,pool,outcome}
ticketing_dispatch_wait_seconds{process,pool}
ticketing_dispatch_run_seconds{process,pool}
ticketing_dispatch_transport_seconds{process,pool}
ticketing_dispatch_queued{process,pool}
ticketing_dispatch_running{process,pool}
ticketing_dispatch_workers{process,pool,state}
ticketing_dispatch_worker_ends_total{process,pool,how}
ticketing_fleet_hosts{process,fleet,state}
ticketing_fleet_host_rtt_seconds{process,fleet,host}
ticketing_fleet_host_credit{process,fleet,host}
ticketing_fleet_refused_total{process,fleet,reason}
ticketing_fleet_lost_total{process,fleet,sign}
ticketing_dispatch_fallback_total{process,pool,outcome}
ticketing_fleet_questions_total{process,owner}
ticketing_fleet_served_total{process,outcome}
ticketing_router_connections_total{process,outcome}
ticketing_router_claim_seconds{process}
ticketing_router_open{process,slot}
process_resident_memory_bytes{process}
process_cpu_seconds_total{process}
process_start_time_seconds{process}
nodejs_eventloop_lag_p50_seconds{process}
nodejs_eventloop_lag_p99_seconds{process}
nodejs_eventloop_utilization{process}
`
  .trim()
  .split('\n');

/** Members of `/stats` and of the operator's view that clients may read, by where they are. */
export const MEMBER_NAMES = new Map(
  `
Buckets: leMs counts sumMs
Times: count mean p50 p90 p99 max
Coalescer: name asked led joined loaded hits staleHits errorHits failed left aborted overflowed inFlight unshared kept
Dispatcher: name kind state queued running asked completed failed aborted rejected refused retried moved returned spawned lost killed recycled idled expectedWaitMs circuit fallback workers histograms buckets
Dispatcher.fallback: inFlight ran refused
Dispatcher.workers[]: workerId slot inFlight done pid state window ageMs threadId utilisation memoryBytes report moduleReport
Dispatcher.histograms: wait run transport
Dispatcher.buckets: wait run transport
Fleet: fleet id state hosts refused lost
Fleet.hosts[]: host zone revision capacity state refused
Keys: own others coalesce worms hosts member dispatch
Keys.worms: coalesce
Keys.member: id fleet state tasks zone revision capacity running asked completed failed aborted busy opened lost refused sessions
Keys.member.sessions[]: dispatcher session running credit ageMs
Shared: coordinator loads
Shared.coordinator: name state claims values failures leases waits unreached unshared finished refused released renewed lost forgotten errors timeouts downs held waiting lastError
Shared.loads{}: name asked led local kept followed renewals repeated unshared undecoded inFlight
ServerCounters: id pid state ageMs role admission routes coalesce streams encoding search dispatch hosts keys shared http worms process attached
ServerCounters.admission: inFlight waiting admitted joined left limit refused
ServerCounters.admission.refused: busy late
ServerCounters.routes[]: method route status latency
ServerCounters.streams: asked joined inFlight
ServerCounters.encoding: asked compressed bytesIn bytesOut
ServerCounters.search: state running complete partial aborted carriers latency
ServerCounters.search.carriers{}: ok empty timeout error cancelled rejected-busy rate-limited
ServerCounters.http{}: inFlight sent retried refused
ServerCounters.guards{}: circuit openMs opened pausedMs pauses inFlight calls success failure throttled ignored retries hedges refusedByCircuit refusedByRate budget tokens
ServerCounters.worms: kind queries running errors ms driver coalesce
ServerCounters.process: memoryBytes cpuMs utilisation eventLoop
ServerCounters.process.eventLoop: p50Ms p99Ms maxMs
ServerCounters.attached: connections claimed requests forwarded
PrimaryCounters: id pid state ageMs role coalesce worms keys cluster router search http process
PrimaryCounters.worms: coalesce
PrimaryCounters.cluster: name state requests inFlight connections waitingConnections droppedConnections wedgedWorkers memoryBytes dispatcher
PrimaryCounters.router: state accepted reading waiting handedOver gone refused rerouted claimMs ended workers
PrimaryCounters.router.ended: workers handedOver
PrimaryCounters.router.workers[]: slot pid state queued open handedOver
PrimaryCounters.search: state running complete partial aborted carriers latency
PrimaryCounters.search.carriers{}: ok empty timeout error cancelled rejected-busy rate-limited
PrimaryCounters.http{}: inFlight sent retried refused
PrimaryCounters.process: memoryBytes cpuMs utilisation eventLoop
PrimaryCounters.process.eventLoop: p50Ms p99Ms maxMs
SilentProcess: id pid state ageMs role
OperatorView: at startedAt versions modes processes searches routes coalesce pools fleets hosts router carriers upstream load events
OperatorView.versions: ticketing node
OperatorView.modes: accept workers dispatch dispatchWorkers offload coalesce fleet routeBy tls controls
OperatorView.processes[]: id kind pid threadId state ageMs memoryBytes utilisation cpuMs loopP50Ms loopP99Ms inFlight connections requests refused isElsewhere
OperatorView.searches[]: process running complete partial aborted
OperatorView.routes[]: process method route status latency
OperatorView.coalesce[]: process name scope asked led joined hits loaded overflowed inFlight
OperatorView.pools[]: process id kind size workers queued running completed failed aborted rejected refused retried lost killed recycled spawned circuit fallback wait run transport buckets
OperatorView.pools[].fallback: ran refused
OperatorView.pools[].buckets: wait run transport
OperatorView.fleets[]: process id name state refused lost own others served
OperatorView.fleets[].served: state sessions running completed failed aborted busy
OperatorView.hosts[]: process fleet id name zone revision state refused isSelf rttMs credit inFlight done
OperatorView.router: accepted waiting handedOver refused rerouted gone claim workers
OperatorView.router.workers[]: slot state queued open handedOver forwarded
OperatorView.carriers[]: process id states latency http
OperatorView.carriers[].http: inFlight sent retried refused
OperatorView.carriers[].guard: circuit openMs opened pausedMs pauses inFlight calls success failure throttled ignored retries hedges refusedByCircuit refusedByRate budget tokens
OperatorView.upstream[]: id arrived answered aborted open plan
OperatorView.load: path perSecond seconds sent answers isRunning
OperatorView.events[]: at kind process text
`
    .trim()
    .split('\n')
    .map((line) => {
      const [path = '', names = ''] = line.split(': ');
      return [path, names.split(' ')] as const;
    }),
);
