import type { Component } from "../../base/html.ts";

export interface Bar {
  readonly label: string;
  /** Exact, for reading. */
  readonly inText: string;
  readonly outText: string;
  /** What came in at the same place of the period before. */
  readonly beforeText: string;
}

const WIDTH = 1000;
const HEIGHT = 200;
const LINES = 4;

interface ChartProps {
  readonly bars: readonly Bar[];
  readonly title: string;
  readonly unit: string;
  said(text: string): string;
}

/** Deposits and withdrawals side by side. A table below has the exact figures. */
export const VolumeChart: Component<ChartProps> = (props) => (
  <figure class="figure-block">
    <Plot {...props} />
    <figcaption class="keys small quiet">
      {KEYS.map(([name, label]) => (
        <span>
          <span class={`key ${name}`}></span> {label}
        </span>
      ))}
    </figcaption>
    <Figures {...props} />
  </figure>
);

const KEYS = [["in", "In"], ["out", "Out"], ["before", "In, the period before"]] as const;

const Plot: Component<ChartProps> = ({ bars, title, unit, said }) => {
  const middle = bars[Math.floor((bars.length - 1) / 2)];
  const top = roundTop(Math.max(...[IN, OUT, BEFORE].flatMap((pick) => bars.map(pick)), 0));
  return (
    <div class="plot" data-tips={tipsOf(bars, said)}>
      <div class="y" aria-hidden="true">
        {Array.from(
          { length: LINES + 1 },
          (_, i) => <span>{axisText(top * (LINES - i) / LINES)}</span>,
        )}
      </div>
      <Drawing bars={bars} top={top} label={`${title}, ${unit}`} />
      <div class="x" aria-hidden="true">
        {[bars[0], middle, bars.at(-1)].map((bar) => <span>{bar?.label}</span>)}
      </div>
    </div>
  );
};

// For drawing only; readers get the text.
const IN = ({ inText }: Bar) => Math.max(0, Number(inText));
const OUT = ({ outText }: Bar) => Math.max(0, Number(outText));
const BEFORE = ({ beforeText }: Bar) => Math.max(0, Number(beforeText));

const Drawing: Component<{ bars: readonly Bar[]; top: number; label: string }> = (
  { bars, top, label },
) => (
  <svg
    class="chart"
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    <path class="axis" d={linesPath()} />
    <path class="in" d={barsPath(bars.map(IN), { top, offset: .14 })} />
    <path class="out" d={barsPath(bars.map(OUT), { top, offset: .52 })} />
    <path class="before" d={beforePath(bars.map(BEFORE), top)} />
  </svg>
);

/** The next 1, 2, 4 or 8 with zeros: its quarters are short, so the axis needs no rounding. */
export function roundTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const tops = [1, 2, 4, 8].map((factor) => factor * power);
  return tops.find((top) => top >= most) ?? 10 * power;
}

export function axisText(value: number): string {
  return value >= 1e15
    ? value.toExponential(1)
    : value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
}

function linesPath(): string {
  return Array.from({ length: LINES + 1 }, (_, i) => `M0 ${HEIGHT * i / LINES}H${WIDTH}`).join("");
}

/** One shape per colour: an element for each bar would be a third of the page. */
function barsPath(
  sizes: readonly number[],
  { top, offset }: { top: number; offset: number },
): string {
  const step = WIDTH / sizes.length;
  const width = round(step * .34);
  return sizes.map((size, i) => {
    if (size <= 0) return "";
    const height = round(Math.max(1, size / top * HEIGHT));
    return `M${round((i + offset) * step)} ${HEIGHT}v-${height}h${width}v${height}z`;
  }).join("");
}

function beforePath(sizes: readonly number[], top: number): string {
  if (sizes.every((size) => size === 0)) return "";
  const step = WIDTH / sizes.length;
  const points = sizes.map((size, i) =>
    `${round((i + .5) * step)} ${round(HEIGHT - size / top * HEIGHT)}`
  );
  return `M${points.join("L")}`;
}

/** What the script shows beside the pointer. */
function tipsOf(bars: readonly Bar[], said: ChartProps["said"]): string {
  return JSON.stringify(
    bars.map(({ label, inText, outText, beforeText }) =>
      `${label}\nIn ${said(inText)}\nOut ${said(outText)}\nBefore: ${said(beforeText)}`
    ),
  );
}

const Figures: Component<ChartProps> = ({ bars, title, said }) => (
  <details class="small">
    <summary>Show figures</summary>
    <div class="scroll" tabindex={0} role="region" aria-label={`${title}, figures`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col" class="number">In</th>
            <th scope="col" class="number">Out</th>
          </tr>
        </thead>
        <tbody>{bars.filter(isUsed).map((bar) => <Row bar={bar} said={said} />)}</tbody>
      </table>
    </div>
  </details>
);

const Row: Component<Pick<ChartProps, "said"> & { bar: Bar }> = ({ bar, said }) => (
  <tr>
    <td>{bar.label}</td>
    <td class="number">{said(bar.inText)}</td>
    <td class="number">{said(bar.outText)}</td>
  </tr>
);

function isUsed({ inText, outText }: Bar): boolean {
  return inText !== "0" || outText !== "0";
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
