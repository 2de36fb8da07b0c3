import { encodeQR } from "qr";
import type { Component } from "../base/html.ts";

const QUIET = 4;

/** One stroke along each run of dark squares: a fifth of the size of single squares. */
export const Code: Component<{ text: string; label: string }> = ({ text, label }) => {
  const rows = encodeQR(text, "raw", { ecc: "low", encoding: "byte", border: QUIET });
  const size = rows.length;
  return (
    <svg
      class="code"
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
