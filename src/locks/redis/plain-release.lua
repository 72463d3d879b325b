-- Gives the lock back, if the owner still has it, and wakes those who wait.
--
-- KEYS[1]  the lock
-- KEYS[2]  who released last: tells a resend apart from a release that came too late
-- ARGV[1]  owner
-- ARGV[2]  channel of those who wait
-- answer   {1, processes that heard} released | {0, 0} it was not the owner's any more

local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, string.len(ARGV[1]) + 1) == ARGV[1] .. ':' then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', 5000)
  return {1, redis.call('PUBLISH', ARGV[2], '')}
end
if redis.call('GET', KEYS[2]) == ARGV[1] then
  return {1, 0}
end
return {0, 0}
