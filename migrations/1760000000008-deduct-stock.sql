-- One sale in one round trip: the statements of sql-atomic, sent by the server to itself.
--
-- Answer, one row:
--   outcome   'sold' | 'sold-out' | 'elsewhere' (another store has the stock) | 'conflict' (retry) | 'unknown-goods'
--   runId     the run of the goods; NULL when they are unknown
--   orderId, remaining, waitedMs   of a sale only; waitedMs is the time until the UPDATE had locked the row
-- The answer follows COMMIT. After an error nothing is committed, unless the error interrupted the COMMIT itself.
CREATE PROCEDURE IF NOT EXISTS deduct_stock(
  IN wanted_goods INT,
  IN wanted INT,
  IN by_strategy VARCHAR(64),
  IN at_instance VARCHAR(64),
  IN purchase_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
  IN purchase_hash CHAR(43) CHARACTER SET ascii COLLATE ascii_bin
)
MODIFIES SQL DATA
SQL SECURITY DEFINER
BEGIN
  DECLARE started DATETIME(3) DEFAULT SYSDATE(3);
  DECLARE waited_for INT;
  DECLARE stock_left INT;
  DECLARE goods_run BIGINT;
  DECLARE place VARCHAR(16);
  DECLARE sale_id BIGINT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;

  -- An account that may only call this procedure must not be able to add stock by it.
  IF wanted IS NULL OR wanted < 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the quantity must be at least 1';
  END IF;

  START TRANSACTION;
  UPDATE goods SET inventory = inventory - wanted, version = version + 1, last_writer = by_strategy
  WHERE id = wanted_goods AND inventory >= wanted AND stock_in = 'mysql';

  IF ROW_COUNT() = 1 THEN
    SET waited_for = GREATEST(0, TIMESTAMPDIFF(MICROSECOND, started, SYSDATE(3)) DIV 1000);
    SELECT inventory, run_id INTO stock_left, goods_run FROM goods WHERE id = wanted_goods;
    INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance,
                        before_inventory, after_inventory, attempts, waited_ms)
    VALUES ('SALE', goods_run, wanted_goods, by_strategy, wanted, purchase_key, purchase_hash, at_instance,
            stock_left + wanted, stock_left, 1, waited_for);
    SET sale_id = LAST_INSERT_ID();
    COMMIT;
    SELECT 'sold' AS outcome, goods_run AS runId, sale_id AS orderId, stock_left AS remaining, waited_for AS waitedMs;
  ELSE
    -- A locking read: a plain one would show the snapshot of this transaction, in which the stock may have been enough.
    SELECT inventory, run_id, stock_in INTO stock_left, goods_run, place FROM goods WHERE id = wanted_goods FOR UPDATE;
    ROLLBACK;
    SELECT CASE
             WHEN goods_run IS NULL THEN 'unknown-goods'
             WHEN place <> 'mysql' THEN 'elsewhere'
             WHEN stock_left < wanted THEN 'sold-out'
             ELSE 'conflict'
           END AS outcome, goods_run AS runId;
  END IF;
END
