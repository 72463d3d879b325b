-- Returns units, once: the record is the proof that it is still owed. A new Redis stock has no records of the old one,
-- so units never return to a run, or to a count, that they were not taken from.
--
-- KEYS  1 stock
--       2 reservations or returns: hash of order number -> quantity, followed by anything
-- ARGV  1 order number
-- Answer: 1 when the units were returned, 0 when nothing was owed
local record = redis.call('HGET', KEYS[2], ARGV[1])
if not record then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('INCRBY', KEYS[1], string.match(record, '^%d+'))
return 1
