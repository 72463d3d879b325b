-- Sets the lease to its full length again, if the member still holds the lock.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- ARGV[3]  lease in ms
-- answer   1 renewed | 0 the member does not hold the lock any more

if not holds(member) then
  return 0
end
hold(member, tonumber(ARGV[3]))
return 1
