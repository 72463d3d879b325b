-- redis-lua: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> EVALSHA redis-lua.lua 3 lockstock:{goods:1}:gate lockstock:{goods:1}:stock lockstock:{goods:1}:orders <number> 2 '' redis-lua instance-1 1 <waited ms> 600 '' ''
-- lua> HMGET lockstock:{goods:1}:gate id run
-- lua> GET lockstock:{goods:1}:stock
-- lua> DECRBY lockstock:{goods:1}:stock 2
-- lua> XADD lockstock:{goods:1}:orders * number <number> quantity 2 key '' request '' strategy redis-lua instance instance-1 attempts 1 waited <ms> gate <uuid> run <run> remaining 97
START TRANSACTION;
SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = 1 FOR UPDATE;
SELECT number FROM orders WHERE number IN (<number>);
SELECT number FROM refused_orders WHERE number IN (<number>);
UPDATE goods SET inventory = inventory - 2, version = version + 1, last_writer = 'redis-lua' WHERE id = 1 AND run_id = <run> AND inventory >= 2;
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', <number>, <run>, 1, 'redis-lua', 2, NULL, NULL, 'instance-1', NULL, 99, 97, 97, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> MULTI
-- redis> XACK lockstock:{goods:1}:orders ledger <entry>
-- redis> XDEL lockstock:{goods:1}:orders <entry>
-- redis> EXEC
