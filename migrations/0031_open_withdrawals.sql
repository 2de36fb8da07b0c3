-- Open withdrawals are found by their status alone, so each new one is in one index less.

DROP INDEX withdrawals_open;
