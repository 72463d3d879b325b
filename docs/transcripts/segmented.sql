-- segmented: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

SELECT goods.run_id AS runId, goods.stock_in AS stockIn, goods.inventory AS inRow, stock_segments.inventory AS inSegment FROM goods LEFT JOIN stock_segments ON stock_segments.run_id = goods.run_id WHERE goods.id = 1 ORDER BY stock_segments.segment;
-- redis> EVALSHA plain-acquire.lua 2 lockstock:lock:plain:{goods:1:1} lockstock:lock:plain:{goods:1:1}:fence <uuid>:<n> 2000
-- lua> SET lockstock:lock:plain:{goods:1:1} <uuid>:<n> NX PX 2000
-- lua> INCRBY lockstock:lock:plain:{goods:1:1}:fence 1
START TRANSACTION;
UPDATE stock_segments SET inventory = inventory - 2 WHERE run_id = <run> AND segment = 1 AND inventory >= 2;
SELECT goods.run_id AS runId, goods.stock_in AS stockIn, goods.inventory AS inRow, stock_segments.inventory AS inSegment FROM goods LEFT JOIN stock_segments ON stock_segments.run_id = goods.run_id WHERE goods.id = 1 ORDER BY stock_segments.segment;
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'segmented', 2, NULL, NULL, 'instance-1', 1, 20, 18, 97, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
-- redis> EVALSHA plain-release.lua 2 lockstock:lock:plain:{goods:1:1} lockstock:lock:plain:{goods:1:1}:released <uuid>:<n> lockstock:lock:plain:{goods:1:1}:free
-- lua> GET lockstock:lock:plain:{goods:1:1}
-- lua> RENAME lockstock:lock:plain:{goods:1:1} lockstock:lock:plain:{goods:1:1}:released
