-- What an account's invoices start with, and what payers see of the merchant.

CREATE TABLE checkouts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  -- Each null: the default.
  expires_in_s INTEGER,
  tolerance_percent TEXT,
  digits INTEGER,
  name TEXT,
  colour TEXT,
  -- Of the logo that is shown.
  logo_hash TEXT,
  seal TEXT
) STRICT;

CREATE TABLE checkout_logos (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  media_type TEXT NOT NULL,
  -- In base64.
  body TEXT NOT NULL,
  seal TEXT
) STRICT;
