-- Caches what was read, unless the goods have changed since the read began: a slow reader must not cache an old value.
--
-- KEYS[1]  the cached goods
-- KEYS[2]  how often the goods have changed
-- ARGV[1]  the count before the reading
-- ARGV[2]  the goods as JSON
-- ARGV[3]  how long to keep them, in ms
-- answer   1 cached | 0 the goods have changed

if (redis.call('GET', KEYS[2]) or '0') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
