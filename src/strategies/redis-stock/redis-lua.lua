-- Checks, deducts and accepts the order in one step: no other command runs in between.
--
-- KEYS  1 header  hash: id, run
--       2 stock   how many units may still be sold
--       3 orders  stream from which the order is written to MySQL later
--       4 answer  hash: the answer to an order with this Idempotency-Key; absent when the order has no key
-- ARGV  1 order number, 2 quantity, 3 Idempotency-Key or '', 4 strategy, 5 instance, 6 attempts, 7 waited ms,
--       8 seconds for which the answer is kept, 9 id that the Redis stock must have or '', 10 hash of the request or ''
-- Answer: { 'no-stock' } | { 'moved' } | { 'repeated' } | { 'sold-out', run } | { 'accepted', remaining }
local header = redis.call('HMGET', KEYS[1], 'id', 'run')
local id, run = header[1], header[2]
if not id then
  return { 'no-stock' }
end
if ARGV[9] ~= '' and ARGV[9] ~= id then
  return { 'moved' }
end
if KEYS[4] and redis.call('HGET', KEYS[4], 'run') == run then
  return { 'repeated' }
end

local quantity = tonumber(ARGV[2])
if tonumber(redis.call('GET', KEYS[2])) < quantity then
  return { 'sold-out', run }
end
local remaining = redis.call('DECRBY', KEYS[2], quantity)

local order = {
  'number', ARGV[1], 'quantity', ARGV[2], 'key', ARGV[3], 'request', ARGV[10], 'strategy', ARGV[4], 'instance', ARGV[5],
  'attempts', ARGV[6], 'waited', ARGV[7], 'gate', id, 'run', run, 'remaining', remaining,
}
redis.call('XADD', KEYS[3], '*', unpack(order))
if KEYS[4] then
  redis.call('DEL', KEYS[4])
  redis.call('HSET', KEYS[4], unpack(order))
  redis.call('EXPIRE', KEYS[4], ARGV[8])
end
return { 'accepted', remaining }
