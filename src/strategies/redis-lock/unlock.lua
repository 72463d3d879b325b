-- Deletes the lock if it is still the owner's.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner
-- answer   1 deleted | 0 it was not the owner's any more

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
