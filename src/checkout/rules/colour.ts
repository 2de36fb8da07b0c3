import { OperatorError } from "../../domain/refusal.ts";

/** WCAG 2: of text and of buttons. */
const CONTRAST_MIN = 4.5;

const CHANNELS = [
  { from: 1, weight: 0.2126 },
  { from: 3, weight: 0.7152 },
  { from: 5, weight: 0.0722 },
];

/** From 1, the same, to 21, black on white. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  return CHANNELS.reduce((sum, { from, weight }) => {
    const share = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  }, 0);
}

/** Buttons have white text on it, in both colour schemes. */
const TEXT = "#ffffff";

export function readColour(given: string): string {
  const read = given.toLowerCase();
  if (!/^#[\da-f]{6}$/.test(read)) throw new OperatorError("The colour must be like #1b57d6");
  const found = contrast(read, TEXT);
  if (found >= CONTRAST_MIN) return read;
  throw new OperatorError(
    `The contrast of ${read} with the white text of buttons is ${found.toFixed(2)}, ` +
      `and must be at least ${CONTRAST_MIN}: choose a darker colour`,
  );
}

/** The colour, or a lighter one that can be read on a dark background. */
export function readableOn(background: string, colour: string): string {
  for (let percent = 0; percent < 100; percent += LIGHTER_BY) {
    const lighter = lightened(colour, percent);
    if (contrast(lighter, background) >= CONTRAST_MIN) return lighter;
  }
  return TEXT;
}

const LIGHTER_BY = 5;

function lightened(hex: string, percent: number): string {
  const mixed = CHANNELS.map(({ from }) => {
    const channel = Number.parseInt(hex.slice(from, from + 2), 16);
    return Math.round(channel + (255 - channel) * percent / 100).toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`;
}
