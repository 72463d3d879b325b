-- Returns units, once: the entry in the hash shows that they are not returned yet. A new Redis stock has no entries of the
-- old one, so units are never added to a stock that they were not taken from.
--
-- KEYS  1 stock
--       2 reservations or returns: hash of order number -> quantity, followed by anything
-- ARGV  1 order number
-- Answer: 1 when the units were returned, 0 when there was no entry
local record = redis.call('HGET', KEYS[2], ARGV[1])
if not record then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('INCRBY', KEYS[1], string.match(record, '^%d+'))
return 1
