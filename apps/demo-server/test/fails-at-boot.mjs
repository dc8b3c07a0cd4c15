// Preloaded: the processes that serve throw as they begin, their primary does not.
if (process.env.TICKETING_CLUSTER_WORKER !== undefined) throw new Error('no luck today');
