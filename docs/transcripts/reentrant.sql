-- reentrant: what one deduction of 2 from a stock of 99 sends to Redis and the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

-- redis> EVALSHA reentrant-acquire.lua 2 lockstock:lock:reentrant:{goods:1} lockstock:lock:reentrant:{goods:1}:fence <uuid>:<n> <uuid> 2000 1
-- lua> EXISTS lockstock:lock:reentrant:{goods:1}
-- lua> INCRBY lockstock:lock:reentrant:{goods:1}:fence 1
-- lua> HSET lockstock:lock:reentrant:{goods:1} <uuid>:<n> 1 #token <token> #request <uuid>
-- lua> PEXPIRE lockstock:lock:reentrant:{goods:1} 2000
START TRANSACTION;
SELECT inventory, version, run_id AS runId FROM goods WHERE id = 1;
UPDATE goods SET inventory = 97, version = version + 1 WHERE id = 1 AND run_id = <run>;
INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance, before_inventory, after_inventory, fence, lease_seq, attempts, waited_ms) VALUES ('SALE', <run>, 1, 'reentrant', 2, NULL, 'instance-1', 99, 97, NULL, NULL, 1, <waited ms>);
COMMIT;
-- redis> EVALSHA reentrant-release.lua 2 lockstock:lock:reentrant:{goods:1} lockstock:lock:reentrant:{goods:1}:released <uuid>:<n> <uuid> lockstock:lock:reentrant:{goods:1}:free
-- lua> HEXISTS lockstock:lock:reentrant:{goods:1} <uuid>:<n>
-- lua> HGET lockstock:lock:reentrant:{goods:1} #request
-- lua> HINCRBY lockstock:lock:reentrant:{goods:1} <uuid>:<n> -1
-- lua> DEL lockstock:lock:reentrant:{goods:1}
-- lua> SET lockstock:lock:reentrant:{goods:1}:released <uuid> PX 5000
-- lua> PUBLISH lockstock:lock:reentrant:{goods:1}:free ''
