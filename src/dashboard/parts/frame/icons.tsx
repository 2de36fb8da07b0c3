import type { Component } from "../../../base/html.ts";

/** Drawn on 20 × 20 with strokes in the colour of the text. */
const PATHS = {
  Home: "M3 9.2 10 3.5l7 5.7V16a1 1 0 0 1-1 1h-3.6v-4.6H7.6V17H4a1 1 0 0 1-1-1z",
  Payments: "M15.5 4.5 5 15m0-7.5V15h7.5",
  Payouts: "M4.5 15.5 15 5M7.5 5H15v7.5",
  Balances: "m10 3 7 3.5-7 3.5-7-3.5zM3 10l7 3.5 7-3.5M3 13.5 10 17l7-3.5",
  Developers: "M7 5.5 2.5 10 7 14.5M13 5.5l4.5 4.5-4.5 4.5",
  Gateway: "M3 3.5h14v5.2H3zM3 11.3h14v5.2H3zM6 6.1h.01M6 13.9h.01",
  Settings:
    "M10 7.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M10 2.6v2.2m0 10.4v2.2M2.6 10h2.2m10.4 0h2.2M4.8 4.8l1.5 1.5m7.4 7.4 1.5 1.5m0-10.4-1.5 1.5m-7.4 7.4-1.5 1.5",
  alerts: "M5 13.5h10l-1.2-1.9V8.6a3.8 3.8 0 1 0-7.6 0v3zM8.4 16.2a1.7 1.7 0 0 0 3.2 0",
  inbox: "M3.5 11 5.6 4h8.8l2.1 7v4.5h-13zm0 0h3.9l1 2h3.2l1-2h3.9",
  stop: "M7 2.5h6L17.5 7v6L13 17.5H7L2.5 13V7zM7.4 10h5.2",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4m4 9 4 4",
} as const;
type IconName = keyof typeof PATHS;

export const Logo: Component<object> = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M21.5 12.2A6.6 6.6 0 1 0 21.5 19.8" />
    <circle cx="22.5" cy="16" r="2" />
  </svg>
);

export const Icon: Component<{ name: IconName }> = ({ name }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
