import type { Component } from "../../base/html.ts";
import { qrCode } from "../../base/qr.ts";

const QUIET = 4;

/** Dark on light in both colour schemes, because many readers can't read the inverse. */
export const Qr: Component<{ text: string; label: string }> = ({ text, label }) => {
  const rows = qrCode(text);
  const size = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) =>
    row.map((isDark, x) => isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")
  ).join("");
  return (
    <svg
      class="qr"
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
};
