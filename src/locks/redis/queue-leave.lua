-- Leaves, whether the member held or still waited, and calls those whose turn it is now.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- answer   1 it held until now | 0 it did not, or not any more

local held = holds(member)
forgetTheDead()
redis.call('ZREM', HOLDERS, member)
leaveQueue(member)

if held then
  redis.call('ZADD', RELEASED, now, member)
  redis.call('ZREMRANGEBYRANK', RELEASED, 0, -101) -- the last 100 are enough: a resend comes soon
  redis.call('PEXPIRE', RELEASED, 5000)
end

callNext()
return redis.call('ZSCORE', RELEASED, member) and 1 or 0
