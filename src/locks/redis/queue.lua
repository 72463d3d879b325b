-- Shared by the queue scripts, and loaded before each of them. Writers hold alone, readers hold together, and all enter in
-- the order of their arrival. A fair lock is this queue with writers only.
--
-- A member is "<w|r>:<client>:<number>": its name contains its role and the client to notify when its turn has come.
-- Times are ms by the clock of Redis.
--
-- KEYS[1]  holders: member -> end of its lease
-- KEYS[2]  waiting writers: member -> place
-- KEYS[3]  waiting readers: member -> place, numbered together with the writers
-- KEYS[4]  heartbeats: waiting member -> when it counts as dead
-- KEYS[5]  the counter of tokens; it must never expire
-- KEYS[6]  members that released lately: distinguishes a resend from a late release
-- ARGV[1]  member
-- ARGV[2]  prefix of the clients' channels

local HOLDERS, WRITERS, READERS, HEARTBEATS, FENCE, RELEASED = unpack(KEYS)
local member, channels = ARGV[1], ARGV[2]

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function isWriter(name)
  return string.sub(name, 1, 1) == 'w'
end

-- The member at an index of a sorted set, and its score; nothing when there is none.
local function at(set, index)
  local found = redis.call('ZRANGE', set, index, index, 'WITHSCORES')
  return found[1], tonumber(found[2])
end

-- One ms after its last member: Redis deletes a key in the millisecond in which it expires, when the member's last
-- millisecond has only begun.
local function expireWith(set, latest)
  redis.call('PEXPIREAT', set, latest + 1)
end

local function hold(name, lease)
  redis.call('ZADD', HOLDERS, now + lease, name)
  local _, latest = at(HOLDERS, -1)
  expireWith(HOLDERS, latest)
end

-- `now` is rounded down, so a lease that ends in this millisecond may have a part of it left: it counts as held.
local function holds(name)
  local leaseEnd = redis.call('ZSCORE', HOLDERS, name)
  return leaseEnd and tonumber(leaseEnd) >= now
end

local function leaveQueue(name)
  redis.call('ZREM', isWriter(name) and WRITERS or READERS, name)
  redis.call('ZREM', HEARTBEATS, name)
end

-- Removes the holders whose lease has ended and the waiters without a heartbeat; answers whether there were any.
local function removeDead()
  local expired = redis.call('ZREMRANGEBYSCORE', HOLDERS, '-inf', '(' .. now)
  local silent = redis.call('ZRANGEBYSCORE', HEARTBEATS, '-inf', '(' .. now)
  for _, name in ipairs(silent) do
    leaveQueue(name)
  end
  return expired + #silent > 0
end

local function notify(name)
  redis.call('PUBLISH', channels .. string.match(name, '^%a:(.-):'), name)
end

-- Notifies only the members whose turn it is: the readers ahead of the first writer, or that writer.
local function notifyNext()
  local holder = at(HOLDERS, 0)
  if holder and isWriter(holder) then
    return
  end
  local writer, place = at(WRITERS, 0)
  local readers = redis.call('ZRANGEBYSCORE', READERS, '-inf', writer and '(' .. place or '+inf')
  for _, reader in ipairs(readers) do
    notify(reader)
  end
  if writer and not holder and #readers == 0 then
    notify(writer)
  end
end
