-- Redisson's way to count entries: a hash in Redis with the owner and its count. `ReentrantRedisLock` counts in the process.
--
-- KEYS[1]  the lock, a hash: <owner> -> entries
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- answer   entries of the owner | 0 another owner holds it

if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
local entries = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return entries
