-- fair: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> EVALSHA queue-enter.lua 6 lockstock:lock:fair:{goods:1} lockstock:lock:fair:{goods:1}:writers lockstock:lock:fair:{goods:1}:readers lockstock:lock:fair:{goods:1}:heartbeats lockstock:lock:fair:{goods:1}:fence lockstock:lock:fair:{goods:1}:released w:<uuid>:<n> lockstock:lock:fair:turn: 2000 1500
-- lua> TIME
-- lua> ZREMRANGEBYSCORE lockstock:lock:fair:{goods:1} -inf (<time>
-- lua> ZRANGEBYSCORE lockstock:lock:fair:{goods:1}:heartbeats -inf (<time>
-- lua> ZSCORE lockstock:lock:fair:{goods:1} w:<uuid>:<n>
-- lua> ZSCORE lockstock:lock:fair:{goods:1}:writers w:<uuid>:<n>
-- lua> ZRANGE lockstock:lock:fair:{goods:1}:writers -1 -1 WITHSCORES
-- lua> ZRANGE lockstock:lock:fair:{goods:1}:readers -1 -1 WITHSCORES
-- lua> ZRANGE lockstock:lock:fair:{goods:1} 0 0 WITHSCORES
-- lua> ZRANGE lockstock:lock:fair:{goods:1}:writers 0 0 WITHSCORES
-- lua> ZRANGE lockstock:lock:fair:{goods:1}:readers 0 0 WITHSCORES
-- lua> ZREM lockstock:lock:fair:{goods:1}:writers w:<uuid>:<n>
-- lua> ZREM lockstock:lock:fair:{goods:1}:heartbeats w:<uuid>:<n>
-- lua> ZADD lockstock:lock:fair:{goods:1} <time> w:<uuid>:<n>
-- lua> ZRANGE lockstock:lock:fair:{goods:1} -1 -1 WITHSCORES
-- lua> PEXPIREAT lockstock:lock:fair:{goods:1} <time>
-- lua> INCR lockstock:lock:fair:{goods:1}:fence
START TRANSACTION;
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
UPDATE goods SET inventory = 97, version = version + 1, last_writer = 'fair' WHERE id = 1 AND run_id = <run> AND stock_in = 'mysql' AND (last_writer = 'fair' OR version = <version>);
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'fair', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> EVALSHA queue-leave.lua 6 lockstock:lock:fair:{goods:1} lockstock:lock:fair:{goods:1}:writers lockstock:lock:fair:{goods:1}:readers lockstock:lock:fair:{goods:1}:heartbeats lockstock:lock:fair:{goods:1}:fence lockstock:lock:fair:{goods:1}:released w:<uuid>:<n> lockstock:lock:fair:turn:
-- lua> TIME
-- lua> ZSCORE lockstock:lock:fair:{goods:1} w:<uuid>:<n>
-- lua> ZREMRANGEBYSCORE lockstock:lock:fair:{goods:1} -inf (<time>
-- lua> ZRANGEBYSCORE lockstock:lock:fair:{goods:1}:heartbeats -inf (<time>
-- lua> ZREM lockstock:lock:fair:{goods:1} w:<uuid>:<n>
-- lua> ZREM lockstock:lock:fair:{goods:1}:writers w:<uuid>:<n>
-- lua> ZREM lockstock:lock:fair:{goods:1}:heartbeats w:<uuid>:<n>
-- lua> ZADD lockstock:lock:fair:{goods:1}:released <time> w:<uuid>:<n>
-- lua> ZREMRANGEBYRANK lockstock:lock:fair:{goods:1}:released 0 -101
-- lua> PEXPIRE lockstock:lock:fair:{goods:1}:released 5000
-- lua> ZRANGE lockstock:lock:fair:{goods:1} 0 0 WITHSCORES
-- lua> ZRANGE lockstock:lock:fair:{goods:1}:writers 0 0 WITHSCORES
-- lua> ZRANGEBYSCORE lockstock:lock:fair:{goods:1}:readers -inf +inf
-- lua> ZSCORE lockstock:lock:fair:{goods:1}:released w:<uuid>:<n>
