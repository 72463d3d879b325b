-- Gives the lease its full length again, if the member still holds.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- ARGV[3]  lease in ms
-- answer   1 renewed | 0 not held any more

if not holds(member) then
  return 0
end
hold(member, tonumber(ARGV[3]))
return 1
