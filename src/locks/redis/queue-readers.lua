-- Counts the readers that hold the lock. Changes nothing.
--
-- KEYS     as in queue.lua
-- answer   how many readers hold a lease

local holder = at(HOLDERS, 0)
if not holder or isWriter(holder) then
  return 0
end
return redis.call('ZCOUNT', HOLDERS, now, '+inf')
