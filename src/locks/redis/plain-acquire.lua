-- Takes the lock if it is free, and mints its fencing tokens in the same step: minted before or after, a loser who
-- was paused could carry the larger token.
--
-- KEYS[1]  the lock, a string: its owner, and a + behind it when others wait
-- KEYS[2]  the counter of tokens; it must never expire
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- ARGV[3]  how many tokens to mint; one when absent
-- answer   n > 0: granted, n is the first token | n < 0: not free, the holder's lease ends in -n ms

local tokens = ARGV[3] or 1
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCRBY', KEYS[2], tokens) - tokens + 1
end

local held = redis.call('GET', KEYS[1])
-- A resend of a request whose answer was lost gets the same grant: nobody has minted since.
if held == ARGV[1] or held == ARGV[1] .. '+' then
  return redis.call('GET', KEYS[2]) - tokens + 1
end

if string.sub(held, -1) ~= '+' then
  redis.call('APPEND', KEYS[1], '+')
end
return -math.max(1, redis.call('PTTL', KEYS[1]))
