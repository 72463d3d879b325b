-- Acquires the lock if it is free, and mints its fencing tokens in the same step: with tokens minted before or after, a
-- paused client that lost the lock could have the larger token.
--
-- KEYS[1]  the lock, a string: its owner, followed by + when other processes wait
-- KEYS[2]  the counter of tokens; it must never expire
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- ARGV[3]  how many tokens to mint; one when absent
-- answer   n > 0: granted, n is the first token | n < 0: not free, retry after -n ms at the latest

local tokens = ARGV[3] or 1
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCRBY', KEYS[2], tokens) - tokens + 1
end

local held = redis.call('GET', KEYS[1])
-- A resend of a request whose answer was lost gets the same grant: no other client has minted since.
if held == ARGV[1] or held == ARGV[1] .. '+' then
  return redis.call('GET', KEYS[2]) - tokens + 1
end

local ttl = redis.call('PTTL', KEYS[1])
-- A key without an expiry was not created by this script: it is left unchanged.
if ttl < 0 then
  return -1000
end
if string.sub(held, -1) ~= '+' then
  redis.call('APPEND', KEYS[1], '+')
end
return -math.max(1, ttl)
