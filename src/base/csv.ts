/**
 * A cell of text that begins like a formula would run as one in a spreadsheet. Some programs also
 * split at semicolons, even inside quotes. Empty text is quoted; null isn't.
 */
export function csvCell(value: unknown, { isNumber = false } = {}): string {
  if (value === null || value === undefined) return "";
  const text = isObject(value) ? JSON.stringify(value) : String(value);
  if (isNumber) return text;
  const plain = text.replace(/(?<=^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/g, "'");
  return plain === "" || /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Lists of plain values are joined by commas. */
function isObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}
