/** The program's version; `migrate` shows the database's. */
export const VERSION = "1.0.0";
