-- batch: what one deduction of 2 from a stock of 99 sends to the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

START TRANSACTION;
SELECT inventory, version, run_id AS runId, stock_in AS stockIn, @@auto_increment_increment AS idStep FROM goods WHERE id = 1 FOR UPDATE;
UPDATE goods SET inventory = 97, version = version + 1, last_writer = 'batch' WHERE id = 1 AND run_id = <run> AND stock_in = 'mysql' AND (last_writer = 'batch' OR version = <version>);
INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance, segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts, waited_ms, cancels) VALUES ('SALE', NULL, <run>, 1, 'batch', 2, NULL, NULL, 'instance-1', NULL, 99, 97, NULL, NULL, NULL, 1, <waited ms>, NULL);
COMMIT;
