/** The first that fits: most browsers also name those that they resemble. */
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|CriOS)\//],
  ["Safari", /\bVersion\/\S+ (Mobile\/\S+ )?Safari\//],
];
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** "Chrome on Linux", of what a browser says of itself. Programs are named as they name themselves. */
export function browserName(userAgent: string): string {
  const nameIn = (all: typeof BROWSERS) => all.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const program = /^(?!Mozilla\/)[A-Za-z][\w.-]{0,39}(?=\/|$)/.exec(userAgent)?.[0];
  const browser = nameIn(BROWSERS) ?? program ?? "an unknown browser";
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
