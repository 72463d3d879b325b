-- Everything about the Redis stock of a goods at one moment.
--
-- KEYS  1 header, 2 stock, 3 reservations, 4 returns, 5 orders
-- Answer: { id, run, stock, { number, reservation, ... }, { number, quantity, ... }, { { field, value, ... }, ... } };
--         id is '' when there is no Redis stock
local header = redis.call('HMGET', KEYS[1], 'id', 'run')
local orders = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[5], '-', '+')) do
  table.insert(orders, entry[2])
end
return {
  header[1] or '',
  header[2] or '',
  redis.call('GET', KEYS[2]) or '',
  redis.call('HGETALL', KEYS[3]),
  redis.call('HGETALL', KEYS[4]),
  orders,
}
