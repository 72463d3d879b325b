-- Whether the stock is sold out for an order that found too little. Orders in flight have reserved units, which they
-- return if they fail, and a cancelled order may be returned in MySQL but not yet here. So the goods are sold out only if the
-- order finds too little even with these units.
--
-- KEYS  1 header        hash: id, run
--       2 stock         how many units may be sold
--       3 reservations  hash of order number -> quantity, followed by anything
--       4 returns       hash of order number -> quantity
-- ARGV  1 run, 2 quantity
-- Answer: 1 when fewer are left even if every order in flight fails and every return arrives, else 0
if redis.call('HGET', KEYS[1], 'run') ~= ARGV[1] then
  return 0
end
local most = tonumber(redis.call('GET', KEYS[2]) or 0)
for _, key in ipairs({ KEYS[3], KEYS[4] }) do
  for _, record in ipairs(redis.call('HVALS', key)) do
    most = most + tonumber(string.match(record, '^%d+'))
  end
end
return most < tonumber(ARGV[2]) and 1 or 0
