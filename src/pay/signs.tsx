import type { Component } from "../base/html.ts";

/** Drawn for these pages: strokes on a disc, 32 units wide. */
interface Drawn {
  readonly disc: string;
  readonly strokes: string;
}

const SIGNS: Readonly<Record<string, Drawn>> = {
  BTC: {
    disc: "#d9751a",
    strokes: "M12 9h5.5a3.4 3.4 0 0 1 0 7H12zm0 7h6.2a3.6 3.6 0 0 1 0 7H12V9m2.5-2.5V9m3-2.5V9" +
      "m-3 14v2.5m3-2.5v2.5",
  },
  LTC: { disc: "#4f6ea3", strokes: "M15 8l-4 15.5h11M10 18l8-3" },
  ETH: { disc: "#5b6ee1", strokes: "M16 6l6.5 10-6.5 4-6.5-4zm-6 13.5l6 6.5 6-6.5" },
  USDT: { disc: "#17866a", strokes: "M9.5 10h13M16 10v14m-7-8.5c0 3 14 3 14 0s-14-3-14 0z" },
  USDC: {
    disc: "#2767c4",
    strokes: "M19.5 12.5c-.5-3-7-3-7 .3 0 3.7 7.2 2.3 7.2 6.2 0 3.4-7 3.6-7.5.2" +
      "M16 8v2m0 12v2",
  },
  DAI: { disc: "#b67a10", strokes: "M11 9h4c9 0 9 14 0 14h-4zm-3 5h16M8 18h16" },
  BNB: {
    disc: "#b38600",
    strokes: "M16 8l3.5 3.5L16 15l-3.5-3.5zm0 9l3.5 3.5L16 24l-3.5-3.5zM9 16h.01M23 16h.01",
  },
  POL: { disc: "#7a45d6", strokes: "M16 8l7 4v8l-7 4-7-4v-8zm-7 4l7 4 7-4m-7 4v8" },
  AVAX: { disc: "#d23b3b", strokes: "M16 8L8 23h4.5L18 13.5M19.5 19L17 23h7z" },
  TRX: { disc: "#cc2f45", strokes: "M7.5 8.5l14 3 4 4.5L15 25.5zm7.5 17l1.5-10 9-.5m-9 .5l-9-7" },
};

/** Of coins without a sign. White is readable on each. */
const DISCS = ["#5a6478", "#6d4bb0", "#2b6c8c", "#8a5524", "#39704a"];

/** What a payer looks for in a list: the coin's sign, or its first letter. */
export const Sign: Component<{ coin: string }> = ({ coin }) => {
  const drawn = SIGNS[coin.toUpperCase()];
  return (
    <svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="16" fill={drawn?.disc ?? discOf(coin)} />
      {drawn
        ? <path d={drawn.strokes} />
        : <text x="16" y="21.5" text-anchor="middle">{[...coin][0]?.toUpperCase()}</text>}
    </svg>
  );
};

function discOf(coin: string): string {
  const sum = [...coin].reduce((all, letter) => all + letter.codePointAt(0)!, 0);
  return DISCS[sum % DISCS.length]!;
}
