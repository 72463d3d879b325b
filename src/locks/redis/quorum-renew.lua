-- Sets the lease to its full length again on this node, if the owner still has it. A lock that the node has lost is not
-- created again: the node may have granted it to another client since.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- answer   1 renewed | 0 the owner does not have it any more

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
