-- Closes the Redis stock: from here on Redis sells nothing until a new one is opened.
--
-- KEYS  1 header   hash: id, run
--       2 orders   stream of accepted orders that MySQL does not have yet
--       3 closing  the id of the last closing
-- ARGV  1 which stock to close: its id, '' when there must be none, '*' for any
--       2 id of this closing
-- Answer: false when ARGV[1] does not match, else the orders in the stream, each a list of field, value, ...
local id = redis.call('HGET', KEYS[1], 'id') or ''
if ARGV[1] ~= '*' and ARGV[1] ~= id then
  return false
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[3], ARGV[2])

local waiting = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
  table.insert(waiting, entry[2])
end
return waiting
