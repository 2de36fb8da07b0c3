/**
 * A cell of text that begins like a formula would run as one in a spreadsheet. Some programs also
 * split at semicolons, even inside quotes. Empty text is quoted; null isn't.
 */
export function csvCell(value: unknown, { isNumber = false } = {}): string {
  if (value === null || value === undefined) return "";
  const isNested = typeof value === "object" && !isPlainList(value);
  const text = isNested ? JSON.stringify(value) : String(value);
  if (isNumber && typeof value !== "object") return text;
  const plain = text.replace(/(?<=^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/g, "'");
  return plain === "" || /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Joined by commas. */
function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object");
}
