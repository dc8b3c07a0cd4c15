import { createHash } from 'node:crypto';
import {
  RECORD_BEYOND_AT,
  RECORD_FENCE_AT,
  RECORD_FENCE_LENGTH,
  RECORD_HEAD_LENGTH,
} from '@ticketing/batching/shared';

/** A Lua script, and the digest by which a server knows it. */
export interface Script {
  readonly source: string;
  readonly sha: string;
  readonly keys: number;
}

// Keys of a script, all in one slot: the record `v`, the lease `l` (its token), the last fence `f`, who waits `w` (a sorted set
// by the time at which they are forgotten).
//
// A fence is the server's time in microseconds, or one more than the last if that is greater: it grows also when a server has
// lost the last one, which it may do after an hour without a lease.
const FENCE_LIFE_MS = 3_600_000;
const WAITER_GRACE_MS = 2000;

const nextFence = `
local function next_fence()
  local time = redis.call('TIME')
  local fence = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('GET', KEYS[3]) or '0')
  if fence <= last then fence = last + 1 end
  local text = string.format('%0${RECORD_FENCE_LENGTH}.0f', fence)
  redis.call('SET', KEYS[3], text, 'PX', ${FENCE_LIFE_MS})
  return text
end`;

/** ARGV: token, leaseMs, after (a fence, or empty), renew (1 or 0), waiter, outdated (a fence, or empty). */
export const claimScript: Script = script(
  4,
  `${nextFence}
local record = redis.call('GET', KEYS[1])
local left = 0
if record then
  left = redis.call('PTTL', KEYS[1]) - (tonumber(string.sub(record, ${RECORD_BEYOND_AT + 1}, ${RECORD_HEAD_LENGTH})) or 0)
  local fence = string.sub(record, ${RECORD_FENCE_AT + 1}, ${RECORD_FENCE_AT + RECORD_FENCE_LENGTH})
  if fence == ARGV[6] then
    redis.call('DEL', KEYS[1])
    left = 0
  elseif (ARGV[3] ~= '' and fence >= ARGV[3]) or (left > 0 and ARGV[4] == '0') then return {record, left} end
end
local holder = redis.call('GET', KEYS[2])
if not holder or holder == ARGV[1] then
  local fence = holder and redis.call('GET', KEYS[3]) or next_fence()
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
  redis.call('ZREM', KEYS[4], ARGV[5])
  return {fence}
end
if left > 0 then return {record, left} end
local time = redis.call('TIME')
local lease_left = redis.call('PTTL', KEYS[2])
local life = lease_left + ${WAITER_GRACE_MS}
redis.call('ZADD', KEYS[4], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + life), ARGV[5])
redis.call('PEXPIRE', KEYS[4], life)
return {redis.call('GET', KEYS[3]) or '0', lease_left, 'held'}`,
);

/** ARGV: token, fence, leaseMs. */
export const renewScript: Script = script(
  4,
  `
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return 0 end
redis.call('PEXPIRE', KEYS[3], ${FENCE_LIFE_MS})
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
return 1`,
);

const wake = `
redis.call('DEL', KEYS[2], KEYS[4])
redis.call(ARGV[1], ARGV[2], '')`;

/** ARGV: publish command, channel, fence, record, lifeMs. */
export const finishScript: Script = script(
  4,
  `
if redis.call('GET', KEYS[3]) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])${wake}
return 1`,
);

/** ARGV: publish command, channel, token. */
export const releaseScript: Script = script(
  4,
  `
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end${wake}
return 1`,
);

/** ARGV: publish command, channel. */
export const forgetScript: Script = script(
  4,
  `${nextFence}
redis.call('DEL', KEYS[1])
next_fence()${wake}
return 1`,
);

/** Returns the number of processes that wait. */
export const waitersScript: Script = script(
  4,
  `
local time = redis.call('TIME')
return redis.call('ZCOUNT', KEYS[4], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), '+inf')`,
);

/** ARGV: waiter. */
export const leaveScript: Script = script(
  4,
  `
return redis.call('ZREM', KEYS[4], ARGV[1])`,
);

// Tags of one name that were forgotten are a sorted set of its own, by time: a fence of the name, which grows as those of keys do. Its
// lowest member is the empty text, at the time before which every value is outdated. A set that is lost, or that went back in time,
// begins with that time: nothing is used of which nobody knows whether its tags were forgotten.
const MAX_FORGOTTEN = 10_000;
const TAGS_LIFE_MS = 7 * 24 * 3_600_000;

const tagTime = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function last_time()
  return tonumber(redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or '-1')
end
local function add(time, tag)
  redis.call('ZADD', KEYS[1], string.format('%.0f', time), tag)
end`;

/** ARGV: tag. */
export const forgetTagScript: Script = script(
  1,
  `${tagTime}
local last = last_time()
if last < 0 then
  last = now()
  add(last, '')
end
add(math.max(now(), last + 1), ARGV[1])
local over = redis.call('ZCARD', KEYS[1]) - ${MAX_FORGOTTEN + 1}
if over > 0 then
  local floor = redis.call('ZRANGE', KEYS[1], over, over, 'WITHSCORES')[2]
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, over)
  add(tonumber(floor), '')
end
redis.call('PEXPIRE', KEYS[1], ${TAGS_LIFE_MS})
return 1`,
);

/** ARGV: since. Returns the floor, and then tags and their times. */
export const forgottenTagsScript: Script = script(
  1,
  `${tagTime}
local since = tonumber(ARGV[1])
if last_time() < since then
  redis.call('DEL', KEYS[1])
  add(math.max(now(), since + 1), '')
end
if redis.call('PTTL', KEYS[1]) < ${TAGS_LIFE_MS / 2} then redis.call('PEXPIRE', KEYS[1], ${TAGS_LIFE_MS}) end
return {redis.call('ZSCORE', KEYS[1], ''), redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf', 'WITHSCORES')}`,
);

function script(keys: number, source: string): Script {
  return { keys, source, sha: createHash('sha1').update(source).digest('hex') };
}
