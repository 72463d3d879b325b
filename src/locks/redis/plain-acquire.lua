-- Takes the lock if it is free, and mints its fencing tokens in the same step: minted before or after, a loser who
-- was paused could carry the larger token.
--
-- KEYS[1]  the lock, a string "<owner>:<first token>"
-- KEYS[2]  the counter of tokens; it must never expire
-- ARGV[1]  owner
-- ARGV[2]  lease in ms
-- ARGV[3]  how many tokens to mint
-- answer   {1, first token} granted | {0, ms until the holder's lease ends}

local held = redis.call('GET', KEYS[1])
if not held then
  local first = redis.call('INCRBY', KEYS[2], ARGV[3]) - ARGV[3] + 1
  redis.call('SET', KEYS[1], ARGV[1] .. ':' .. string.format('%.0f', first), 'PX', ARGV[2])
  return {1, first}
end

-- A resend of a request whose answer was lost gets the same grant.
local length = string.len(ARGV[1])
if string.sub(held, 1, length + 1) == ARGV[1] .. ':' then
  return {1, tonumber(string.sub(held, length + 2))}
end

return {0, redis.call('PTTL', KEYS[1])}
