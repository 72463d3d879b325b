-- Gives the lease its full length again on this node, if the owner still has it. A node that lost the lock does not
-- get it back: it may have promised it to somebody else since.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- answer   1 renewed | 0 not the owner's any more

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
