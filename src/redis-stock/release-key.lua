-- Releases the claim of an order that sold nothing.
--
-- KEYS  1 answer  hash: run and number of the order that uses the key
-- ARGV  1 order number
-- Answer: 1 when the claim was this order's, else 0
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
