-- Leaves once. When the owner has left as often as it entered, the lock is free and those who wait are woken.
--
-- KEYS[1]  the lock
-- KEYS[2]  the request that freed it last: tells a resend apart from a release that came too late
-- ARGV[1]  owner
-- ARGV[2]  request: a resend of it counts once
-- ARGV[3]  channel of those who wait
-- answer   {2, processes that heard} free now | {1, 0} the owner is still inside | {0, 0} not the owner's

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  if redis.call('GET', KEYS[2]) == ARGV[2] then
    return {2, 0}
  end
  return {0, 0}
end

if redis.call('HGET', KEYS[1], '#request') == ARGV[2] then
  return {1, 0}
end

if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  redis.call('HSET', KEYS[1], '#request', ARGV[2])
  return {1, 0}
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[2], 'PX', 5000)
return {2, redis.call('PUBLISH', ARGV[3], '')}
