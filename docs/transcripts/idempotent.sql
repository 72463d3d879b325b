-- idempotent: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> EVALSHA plain-acquire.lua 2 lockstock:lock:plain:{goods:1} lockstock:lock:plain:{goods:1}:fence <uuid>:<n> 2000
-- lua> SET lockstock:lock:plain:{goods:1} <uuid>:<n> NX PX 2000
-- lua> INCRBY lockstock:lock:plain:{goods:1}:fence 1
START TRANSACTION;
UPDATE goods SET inventory = inventory - 2, version = version + 1, last_writer = 'idempotent' WHERE id = 1 AND inventory >= 2 AND stock_in = 'mysql';
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
INSERT IGNORE INTO idempotent_log (goods_id, run_id, purchase) VALUES (1, <run>, '<uuid>');
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'idempotent', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> EVALSHA plain-release.lua 2 lockstock:lock:plain:{goods:1} lockstock:lock:plain:{goods:1}:released <uuid>:<n> lockstock:lock:plain:{goods:1}:free
-- lua> GET lockstock:lock:plain:{goods:1}
-- lua> RENAME lockstock:lock:plain:{goods:1} lockstock:lock:plain:{goods:1}:released
