-- Everything about the gate as it is at one moment.
--
-- KEYS  1 gate, 2 stock, 3 reservations, 4 returns, 5 orders
-- Answer: { id, run, stock, { number, reservation, ... }, { number, quantity, ... }, { { field, value, ... }, ... } };
--         id is '' when there is no gate
local gate = redis.call('HMGET', KEYS[1], 'id', 'run')
local orders = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[5], '-', '+')) do
  table.insert(orders, entry[2])
end
return {
  gate[1] or '',
  gate[2] or '',
  redis.call('GET', KEYS[2]) or '',
  redis.call('HGETALL', KEYS[3]),
  redis.call('HGETALL', KEYS[4]),
  orders,
}
