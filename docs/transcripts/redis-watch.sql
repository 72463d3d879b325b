-- redis-watch: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> WATCH lockstock:{goods:1}:gate lockstock:{goods:1}:stock
-- redis> HMGET lockstock:{goods:1}:gate id run
-- redis> GET lockstock:{goods:1}:stock
-- redis> MULTI
-- redis> DECRBY lockstock:{goods:1}:stock 2
-- redis> HSET lockstock:{goods:1}:reservations <number> 2
-- redis> EXEC
START TRANSACTION;
UPDATE goods SET inventory = inventory - 2, version = version + 1, last_writer = 'redis-watch' WHERE id = 1 AND gate_id = '<uuid>' AND inventory >= 2;
SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = 1;
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', <number>, <run>, 1, 'redis-watch', 2, NULL, NULL, 'instance-1', NULL, 99, 97, 97, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> HDEL lockstock:{goods:1}:reservations <number>
