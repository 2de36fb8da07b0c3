import { encodeQR } from "qr";
import type { Component } from "./html.ts";

const QUIET = 4;
/** What takes five and a half bits for each character. */
const DENSE = /^[0-9A-Z $%*+\-./:]+$/;

/**
 * Dark on light in both colour schemes, because many readers can't read the inverse. One stroke
 * along each run of dark squares takes a fifth of the bytes of single squares.
 */
export const Qr: Component<{ text: string; label: string }> = ({ text, label }) => {
  const encoding = DENSE.test(text) ? "alphanumeric" : "byte";
  const rows = encodeQR(text, "raw", { ecc: "medium", encoding, border: QUIET });
  const size = rows.length;
  return (
    <svg
      class="qr"
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={rows.map(strokesOf).join("")} stroke="#000" />
    </svg>
  );
};

function strokesOf(row: readonly boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const from = x;
    while (row[x]) x++;
    path += `M${from} ${y}.5h${x - from}`;
  }
  return path;
}
