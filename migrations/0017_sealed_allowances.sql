-- Who may be paid again after failed payments is decided by sealed rows too.

ALTER TABLE allowed_recipients ADD COLUMN seal TEXT;
