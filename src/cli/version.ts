/** Of the program, whatever the database's is: "migrate" tells that one. */
export const VERSION = "1.0.0";
