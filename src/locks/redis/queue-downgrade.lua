-- Converts the write lease of the member into a read lease in one step: no other writer can acquire the lock in between.
--
-- KEYS, ARGV[1], ARGV[2]  as in queue.lua
-- ARGV[3]  the member's name as a reader
-- ARGV[4]  lease in ms
-- answer   1 converted | 0 the member's write lease had ended

if holds(member) then
  redis.call('ZREM', HOLDERS, member)
  hold(ARGV[3], tonumber(ARGV[4]))
  notifyNext()
end
return holds(ARGV[3]) and 1 or 0
