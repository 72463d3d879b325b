-- Leaves once; the counterpart of redisson-enter.lua.
--
-- KEYS[1]  the lock, a hash: <owner> -> entries
-- ARGV[1]  owner
-- answer   'not mine' | 'still held' | 'released'

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 'not mine'
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 'still held'
end
redis.call('DEL', KEYS[1])
return 'released'
