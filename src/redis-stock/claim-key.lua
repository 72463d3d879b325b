-- Claims an Idempotency-Key for an order that is written to MySQL by its own request: until it is, no other order of
-- the run may use the key. redis-lua.lua writes the same hash when it accepts an order.
--
-- KEYS  1 header  hash: id, run
--       2 answer  hash: run and number of the order that uses the key
-- ARGV  1 order number, 2 milliseconds after which the claim expires
-- Answer: 'no-stock' | 'repeated' | 'claimed'
local run = redis.call('HGET', KEYS[1], 'run')
if not run then
  return 'no-stock'
end
if redis.call('HGET', KEYS[2], 'run') == run then
  return 'repeated'
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], 'run', run, 'number', ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 'claimed'
