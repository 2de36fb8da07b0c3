-- Which coins were credited when a merchant accepted an invoice, by network and currency.
ALTER TABLE invoices ADD COLUMN accepted_coins TEXT;
