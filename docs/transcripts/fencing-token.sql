-- fencing-token: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> EVALSHA plain-acquire.lua 2 lockstock:lock:fenced:{goods:1} lockstock:lock:fenced:{goods:1}:fence <uuid>:<n> 2000
-- lua> SET lockstock:lock:fenced:{goods:1} <uuid>:<n> NX PX 2000
-- lua> INCRBY lockstock:lock:fenced:{goods:1}:fence 1
START TRANSACTION;
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
UPDATE goods SET inventory = 97, version = version + 1, last_writer = 'fencing-token', fence = <token> WHERE id = 1 AND run_id = <run> AND fence < <token> AND stock_in = 'mysql' AND (last_writer = 'fencing-token' OR version = <version>);
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'fencing-token', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, <token>, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> EVALSHA plain-release.lua 2 lockstock:lock:fenced:{goods:1} lockstock:lock:fenced:{goods:1}:released <uuid>:<n> lockstock:lock:fenced:{goods:1}:free
-- lua> GET lockstock:lock:fenced:{goods:1}
-- lua> RENAME lockstock:lock:fenced:{goods:1} lockstock:lock:fenced:{goods:1}:released
