-- Grants the lock if it is the member's turn, and mints a writer's token in the same step. Otherwise the member joins the
-- queue or, if it waits there already, renews its heartbeat.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- ARGV[3]  lease in ms
-- ARGV[4]  ms without a heartbeat after which the member counts as dead; 0: it does not join the queue
-- answer   {1, a writer's token, or 0 for a reader} granted | {0, ms after which a retry is worth it}

local lease, heartbeat = tonumber(ARGV[3]), tonumber(ARGV[4])
local writes = isWriter(member)
local anyRemoved = removeDead()

-- A resend of a request whose answer was lost gets the same grant: no other writer can have changed the counter.
if holds(member) then
  return {1, writes and tonumber(redis.call('GET', FENCE)) or 0}
end

local line = writes and WRITERS or READERS
local place = tonumber(redis.call('ZSCORE', line, member))
if not place then
  local _, lastWriter = at(WRITERS, -1)
  local _, lastReader = at(READERS, -1)
  place = math.max(lastWriter or 0, lastReader or 0) + 1
end

local function isAnyAhead(set)
  local _, first = at(set, 0)
  return first and first < place
end

local holder = at(HOLDERS, 0)
local mayEnter
if writes then
  mayEnter = not holder and not isAnyAhead(WRITERS) and not isAnyAhead(READERS)
else
  mayEnter = not (holder and isWriter(holder)) and not isAnyAhead(WRITERS)
end

local answer
if mayEnter then
  leaveQueue(member)
  hold(member, lease)
  answer = {1, writes and redis.call('INCR', FENCE) or 0}
else
  if heartbeat > 0 then
    redis.call('ZADD', line, place, member)
    redis.call('ZADD', HEARTBEATS, now + heartbeat, member)
    local _, latest = at(HEARTBEATS, -1)
    expireWith(WRITERS, latest)
    expireWith(READERS, latest)
    expireWith(HEARTBEATS, latest)
  end
  -- The next change that needs no message: the end of the holders' leases, or of the heartbeat of a waiter that was
  -- notified and has not entered.
  local _, change = at(holder and HOLDERS or HEARTBEATS, holder and -1 or 0)
  answer = {0, math.max(1, change - now + 1)}
end

-- Otherwise the waiters behind a removed member would notice at their next heartbeat only.
if anyRemoved then
  notifyNext()
end
return answer
