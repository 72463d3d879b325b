-- Sets the lease to its full length again, if the owner still has it.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- answer   1 renewed | 0 the owner does not hold it any more

local held = redis.call('GET', KEYS[1])
if held == ARGV[1] or held == ARGV[1] .. '+' then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
