-- unique-row: what one deduction of 2 from a stock of 99 sends to the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

INSERT INTO lock_rows (name, owner, expires_at) VALUES ('goods:1', '<uuid>', UTC_TIMESTAMP(3) + INTERVAL 2000000 MICROSECOND);
START TRANSACTION;
SELECT inventory, version, run_id AS runId FROM goods WHERE id = 1;
UPDATE goods SET inventory = 97, version = version + 1 WHERE id = 1 AND run_id = <run>;
INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance, before_inventory, after_inventory, fence, lease_seq, attempts, waited_ms) VALUES ('SALE', <run>, 1, 'unique-row', 2, NULL, 'instance-1', 99, 97, NULL, NULL, 1, <waited ms>);
COMMIT;
DELETE FROM lock_rows WHERE name = 'goods:1' AND owner = '<uuid>';
