-- Releases the lock on this node, if the owner still has it.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner
-- answer   1 released | 0 it was not the owner's any more

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
