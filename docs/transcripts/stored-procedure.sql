-- stored-procedure: what one deduction of 2 from a stock of 99 sends to the database.
-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.

CALL deduct_stock(1, 2, 'stored-procedure', 'instance-1', NULL, NULL);
