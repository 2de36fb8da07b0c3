-- An email may have a login in each account, so that nobody learns from a new one who else has any.

DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (email, account_id);
CREATE UNIQUE INDEX users_email_of_gateway ON users (email) WHERE account_id IS NULL;
