import { encodeQR } from "qr";
import type { Component } from "../../base/html.ts";

const QUIET = 4;

/** Dark on light in both colour schemes, because many readers can't read the inverse. */
export const Qr: Component<{ text: string; label: string }> = ({ text, label }) => {
  const rows = encodeQR(text, "raw", { ecc: "medium", encoding: "byte", border: QUIET });
  const size = rows.length;
  const path = rows.flatMap((row, y) => row.map((isDark, x) => isDark ? `M${x} ${y}h1v1h-1z` : ""))
    .join("");
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
