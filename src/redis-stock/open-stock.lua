-- Opens a new Redis stock, unless another one was opened or closed since the sender closed the old one. Redis may execute
-- this long after the sender timed out and released the row lock: by then MySQL may sell the same stock.
--
-- KEYS  1 header        hash: id, run
--       2 stock         how many units may be sold
--       3 reservations  hash of the old stock: its orders can no longer be written to MySQL
--       4 returns       hash of the old stock: its units are part of the new one
--       5 orders        stream of accepted orders; it outlives the stock
--       6 closing       the id of the last closing
-- ARGV  1 id, 2 run, 3 units of the new stock, 4 id of the sender's own closing
-- Answer: 1 when it is open, 0 when it is not
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('GET', KEYS[6]) ~= ARGV[4] then
  return 0
end
redis.call('DEL', KEYS[3], KEYS[4], KEYS[6])
redis.call('SET', KEYS[2], ARGV[3])
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'run', ARGV[2])
-- Fails when the group exists already, which is fine.
redis.pcall('XGROUP', 'CREATE', KEYS[5], 'ledger', '0', 'MKSTREAM')
return 1
