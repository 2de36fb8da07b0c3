/** What a spreadsheet takes for the beginning of a formula, also as East Asian keyboards type it. */
const FORMULA = /[=+\-@＝＋－＠﹦﹢﹣﹫]/;
/** Some programs split at these too, even inside quotes; a backslash may stand before one. */
const SEPARATOR = /[;|\\\t\r\n]/;
/** Cut off or never shown before a program looks at what a cell begins with. */
const UNSEEN = /[\s\p{C}\p{Default_Ignorable_Code_Point}]/u;

/**
 * A cell of text that begins like a formula would run as one in a spreadsheet. Empty text is
 * quoted; null isn't.
 */
export function csvCell(value: unknown, { isNumber = false } = {}): string {
  if (value === null || value === undefined) return "";
  const isNested = typeof value === "object" && !isPlainList(value);
  const text = isNested ? JSON.stringify(value) : String(value);
  if (isNumber && typeof value !== "object") return text;
  const plain = FORMULA.test(text) || /^[\t\r]/.test(text) ? defused(text) : text;
  return plain === "" || /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** An apostrophe before the beginning makes it text. Each character is looked at once. */
function defused(text: string): string {
  let plain = /^[\t\r]/.test(text) ? "'" : "";
  let passed = "";
  let isBeginning = true;
  for (const char of text) {
    if (isBeginning && FORMULA.test(char)) plain += "'";
    const isSeparator = SEPARATOR.test(char);
    if (!isSeparator && isBeginning && UNSEEN.test(char)) {
      passed += char;
      continue;
    }
    plain += passed + char;
    passed = "";
    isBeginning = isSeparator;
  }
  return plain + passed;
}

/** Joined by commas. */
function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object");
}
