-- Gives the lock back, if the owner still has it, and wakes those who wait. Where nobody does nothing is published: in a
-- cluster every message goes to every node.
--
-- KEYS[1]  the lock
-- KEYS[2]  who released last, for as long as its lease would have lasted: tells a resend from a release that came too late
-- ARGV[1]  owner
-- answer   n >= 0: released, n processes heard | -1: it was not the owner's any more

local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('RENAME', KEYS[1], KEYS[2])
  return 0
end
if held == ARGV[1] .. '+' then
  redis.call('RENAME', KEYS[1], KEYS[2])
  return redis.call('PUBLISH', KEYS[1] .. ':free', '')
end

local last = redis.call('GET', KEYS[2])
if last == ARGV[1] or last == ARGV[1] .. '+' then
  return 0
end
return -1
