/**
 * What Lockstock shows, one sentence each. An experiment names the ids of the claims that it shows; wherever an id is
 * printed, its sentence is printed beside it. docs/claims.md is generated from this file.
 */
export const CLAIMS = {
  C1: 'Reading the stock, subtracting in the program and writing the result back oversells under concurrency.',
  C2: 'Checking the stock in the program and subtracting in SQL still drives the stock below zero.',
  C3: 'An in-process lock is correct in one process only, and only if all requests share the same lock object.',
  C4: 'A lock that is released before COMMIT protects nothing: the next holder still reads the old stock.',
  C5: 'One conditional UPDATE is enough for one row, but without an index on its condition it locks the whole table.',
  C6: 'SELECT … FOR UPDATE covers several steps and rows; opposite lock orders deadlock, one fixed order does not.',
  C7: 'Compare-and-set on the value misses a change that was undone (ABA); a version column detects it, a stale replica breaks it.',
  C8: 'Inserting a row with a unique key acquires a lock: only one INSERT of the key can succeed.',
  C9: 'WATCH, MULTI and EXEC are an optimistic lock in Redis: correct, but slow under contention.',
  C10: 'Stock counted in Redis with DECRBY or a Lua script needs no lock and is fast, but must be kept in step with MySQL.',
  C11: 'A lock key without expiry stays for ever when its holder crashes; SET with NX and PX sets key and expiry in one step.',
  C12: 'Only one Lua script that compares the owner and deletes the key releases a lock safely; DEL alone frees a foreign lock.',
  C13: 'A watchdog renews the lease while the holder’s process runs, and stops with it; a fixed lease is never renewed.',
  C14: 'A reentrant lock counts the entries of its owner; only the last exit releases it, and only the owner may exit.',
  C15: 'Waiting for a release message avoids polling, but the wait needs a time limit because a message can be lost.',
  C16: 'Asynchronous replication loses the lock when the Redis master dies and a replica without the lock is promoted.',
  C17: 'Redlock asks a majority of masters, and still grants twice when a master restarts empty or its clock jumps.',
  C18: 'A fencing token lets the store refuse a late writer whose token is older than the last one it accepted.',
  C19: 'A fencing token does not stop two holders whose tokens are both larger; WAIT and min-replicas only narrow the gap.',
  C20: 'A lease number that the store grants and compares for equality in the write itself stops every late writer.',
  C21: 'An idempotency key recorded in the same transaction makes a retry after a lost reply safe.',
  C22: 'Serialising sales, by partition or by a local queue with batched commits, replaces contention with order.',
  C23: 'etcd and ZooKeeper keep the lock on a majority, yet a paused holder still writes late unless the store checks.',
  C24: 'Finer locks allow more concurrency: stock in segments with one lock each, and read-write locks.',
  C25: 'A lock needs a key per goods, bounded waits and retries, and a clear answer when it is not acquired.',
  C26: 'A single Redis, Sentinel or Cluster is a matter of configuration: the code stays the same.',
  C27: 'A lock also stops a cache stampede: one request rebuilds an expired entry while the others wait for it.',
  C28: 'A fair lock serves waiters in order of arrival; a lock over several keys acquires them in sorted order.',
} as const;

/** Interleavings that make a strategy oversell, lose stock or hang. For each, a strategy that withstands it is also shown. */
export const INTERLEAVINGS = {
  P1: 'Two instances each hold their own in-process lock.',
  P2: 'A late DEL removes the lock of the next holder.',
  P3: 'The lock holder pauses for longer than its lease and writes after the next holder.',
  P4: 'The lock is released before COMMIT.',
  P5: 'The transaction’s snapshot is older than its lock.',
  P6: 'Two paused holders write one after the other, each with a token larger than the stored one.',
  P7: 'A failover makes the counter issue the same token twice.',
  P8: 'A Redlock master restarts empty and votes a second time.',
  P9: 'The clock of a Redlock master jumps forward, and the lock expires early.',
  P10: 'An instance crashes after deducting in Redis and before writing to MySQL.',
  P11: 'A failover restores an older Redis stock, which is then sold again.',
  P12: 'Two requests WATCH on one shared connection.',
  P13: 'SELECT … FOR UPDATE runs outside a transaction.',
  P14: 'Redis evicts the lock key, because its memory is full.',
  P15: 'The reply is lost, and the client repeats the purchase.',
  P16: 'The fencing token is issued after the lock was acquired, not with it.',
  P17: 'The lock is released after the waiter’s attempt and before its SUBSCRIBE.',
  P18: 'The holder crashes between SETNX and EXPIRE.',
  P19: 'The first waiter in the fair queue dies.',
  P20: 'The stock changes and changes back between read and write (ABA).',
  P21: 'The value is read from a replica that lags behind.',
} as const;

/** Claims and interleavings, by their ids. */
export const SENTENCES = { ...CLAIMS, ...INTERLEAVINGS } as const;

export type ClaimId = keyof typeof CLAIMS;
export type InterleavingId = keyof typeof INTERLEAVINGS;
export type ShownId = keyof typeof SENTENCES;

export const CLAIM_IDS = Object.keys(CLAIMS) as ClaimId[];
export const INTERLEAVING_IDS = Object.keys(INTERLEAVINGS) as InterleavingId[];
