-- Takes the lock if it is free, or enters once more if the owner has it. The token is minted on the first entry only.
--
-- KEYS[1]  the lock, a hash: <owner> -> entries, #token -> first token, #request -> the last request that counted
-- KEYS[2]  the counter of tokens; it must never expire
-- ARGV[1]  owner
-- ARGV[2]  request: a resend of it counts once
-- ARGV[3]  lease in ms
-- ARGV[4]  how many tokens to mint on the first entry
-- answer   {1, first token} entered | {0, ms until the holder's lease ends}

if redis.call('EXISTS', KEYS[1]) == 0 then
  if ARGV[4] == '0' then
    return {0, 0} -- the owner believed to hold it, and does not any more
  end
  local first = redis.call('INCRBY', KEYS[2], ARGV[4]) - ARGV[4] + 1
  redis.call('HSET', KEYS[1], ARGV[1], 1, '#token', string.format('%.0f', first), '#request', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {1, first}
end

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return {0, redis.call('PTTL', KEYS[1])}
end

if redis.call('HGET', KEYS[1], '#request') ~= ARGV[2] then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('HSET', KEYS[1], '#request', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return {1, tonumber(redis.call('HGET', KEYS[1], '#token'))}
