/** What is signed, line by line. */
export const SIGNED_LINES: readonly (readonly [name: string, text: string])[] = [
  ["Timestamp", "Unix time in seconds, the same as in the header."],
  ["Method", "In upper case."],
  ["Path", "Exactly as you send it, without the server's address."],
  ["Query", "Exactly as you send it, without the question mark. Empty if there is none."],
  [
    "Body hash",
    "Lower-case hex SHA-256 of the bytes you send. A GET is signed with an empty body.",
  ],
];
