-- What the queue scripts share; it stands before each of them. Writers hold alone, readers hold together, and all
-- enter in the order in which they came. A fair lock is this queue with writers only.
--
-- A member is "<w|r>:<client>:<number>": its name tells its role, and the client to call when its turn has come.
-- Times are ms by the clock of Redis.
--
-- KEYS[1]  holders: member -> end of its lease
-- KEYS[2]  writers who wait: member -> place
-- KEYS[3]  readers who wait: member -> place, counted together with the writers
-- KEYS[4]  heartbeats: member who waits -> when it counts as dead
-- KEYS[5]  the counter of tokens; it must never expire
-- KEYS[6]  who released lately: tells a resend apart from a release that came too late
-- ARGV[1]  member
-- ARGV[2]  what the name of a client's channel begins with

local HOLDERS, WRITERS, READERS, HEARTBEATS, FENCE, RELEASED = unpack(KEYS)
local member, channels = ARGV[1], ARGV[2]

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function isWriter(who)
  return string.sub(who, 1, 1) == 'w'
end

-- The member at an index of a sorted set, and its score; nothing when there is none.
local function at(set, index)
  local found = redis.call('ZRANGE', set, index, index, 'WITHSCORES')
  return found[1], tonumber(found[2])
end

-- A key outlives its last living member by no more than this ms: a key that ended with it would end before it,
-- because Redis deletes a key whose time is now.
local function expireWith(set, latest)
  redis.call('PEXPIREAT', set, latest + 1)
end

local function hold(who, lease)
  redis.call('ZADD', HOLDERS, now + lease, who)
  local _, latest = at(HOLDERS, -1)
  expireWith(HOLDERS, latest)
end

-- `now` is rounded down, so a lease that ends in this ms may still have a part of it left: it counts as held.
local function holds(who)
  local leaseEnd = redis.call('ZSCORE', HOLDERS, who)
  return leaseEnd and tonumber(leaseEnd) >= now
end

local function leaveQueue(who)
  redis.call('ZREM', isWriter(who) and WRITERS or READERS, who)
  redis.call('ZREM', HEARTBEATS, who)
end

-- Takes out those whose lease has ended and those whose heart has stopped; says whether there were any.
local function forgetTheDead()
  local expired = redis.call('ZREMRANGEBYSCORE', HOLDERS, '-inf', '(' .. now)
  local silent = redis.call('ZRANGEBYSCORE', HEARTBEATS, '-inf', '(' .. now)
  for _, who in ipairs(silent) do
    leaveQueue(who)
  end
  return expired + #silent > 0
end

local function call(who)
  redis.call('PUBLISH', channels .. string.match(who, '^%a:(.-):'), who)
end

-- Calls those whose turn it is and nobody else: the readers who came before the first writer, or that writer.
local function callNext()
  local holder = at(HOLDERS, 0)
  if holder and isWriter(holder) then
    return
  end
  local writer, place = at(WRITERS, 0)
  local readers = redis.call('ZRANGEBYSCORE', READERS, '-inf', writer and '(' .. place or '+inf')
  for _, reader in ipairs(readers) do
    call(reader)
  end
  if writer and not holder and #readers == 0 then
    call(writer)
  end
end
