-- Removes the member, whether it holds the lock or waits, and notifies the members whose turn it is now.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- answer   1 it held the lock until now | 0 it did not, or its lease had ended

local held = holds(member)
removeDead()
redis.call('ZREM', HOLDERS, member)
leaveQueue(member)

if held then
  redis.call('ZADD', RELEASED, now, member)
  redis.call('ZREMRANGEBYRANK', RELEASED, 0, -101) -- the last 100 are enough: a resend follows soon
  redis.call('PEXPIRE', RELEASED, 5000)
end

notifyNext()
return redis.call('ZSCORE', RELEASED, member) and 1 or 0
