/** The program's and its SDK's version; `migrate` shows the database's. */
export const VERSION = "1.1.0";
