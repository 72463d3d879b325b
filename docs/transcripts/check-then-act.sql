-- check-then-act: what one deduction of 2 from a stock of 99 sends to the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

START TRANSACTION;
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
UPDATE goods SET inventory = inventory - 2, version = version + 1, last_writer = 'check-then-act' WHERE id = 1 AND stock_in = 'mysql';
SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1;
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'check-then-act', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
