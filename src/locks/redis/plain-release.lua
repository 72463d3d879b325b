-- Frees the lock, if the owner still has it, and wakes the waiters. Without waiters nothing is published: in a cluster
-- every message goes to every node.
--
-- KEYS[1]  the lock
-- KEYS[2]  the last owner that released, for as long as its lease would have lasted: distinguishes a resend from a late release
-- ARGV[1]  owner
-- ARGV[2]  channel of the waiters
-- answer   n >= 0: released, n processes received the message | -1: the owner did not hold it any more

local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('RENAME', KEYS[1], KEYS[2])
  return 0
end
if held == ARGV[1] .. '+' then
  redis.call('RENAME', KEYS[1], KEYS[2])
  return redis.call('PUBLISH', ARGV[2], '')
end

local last = redis.call('GET', KEYS[2])
if last == ARGV[1] or last == ARGV[1] .. '+' then
  return 0
end
return -1
