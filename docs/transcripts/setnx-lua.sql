-- setnx-lua: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> SET lockstock:setnx:{goods:1} <uuid> PX 2000 NX
START TRANSACTION;
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
UPDATE goods SET inventory = 97, version = version + 1, last_writer = 'setnx-lua' WHERE id = 1 AND run_id = <run> AND stock_in = 'mysql' AND (last_writer = 'setnx-lua' OR version = <version>);
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'setnx-lua', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> EVALSHA unlock.lua 1 lockstock:setnx:{goods:1} <uuid>
-- lua> GET lockstock:setnx:{goods:1}
-- lua> DEL lockstock:setnx:{goods:1}
