-- Turns the member, a writer who holds, into a reader who holds, in one step: no other writer comes in between.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- ARGV[3]  the reader to become
-- ARGV[4]  lease in ms
-- answer   1 it reads now | 0 it did not hold any more

if holds(member) then
  redis.call('ZREM', HOLDERS, member)
  hold(ARGV[3], tonumber(ARGV[4]))
  callNext()
end
return holds(ARGV[3]) and 1 or 0
