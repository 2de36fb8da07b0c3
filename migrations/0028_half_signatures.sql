-- With a whole signature, whoever reads the database could send the request that it signed again.

UPDATE OR REPLACE used_signatures SET signature = substr(signature, 1, 32);
