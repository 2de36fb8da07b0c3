import type { Component } from "../../base/html.ts";

export interface Bar {
  readonly label: string;
  /** Exact, for reading. */
  readonly inText: string;
  readonly outText: string;
}

const WIDTH = 600;
const HEIGHT = 150;
const FLOOR = 130;
const TOP = 14;

/** Deposits and withdrawals side by side. A table below has the exact figures. */
export const VolumeChart: Component<{ bars: readonly Bar[]; title: string; unit: string }> = (
  { bars, title, unit },
) => (
  <figure class="figure-block">
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${title}, ${unit}`}
    >
      <Drawing bars={bars} />
    </svg>
    <figcaption class="small quiet">
      <span class="key in" />In <span class="key out" />Out
    </figcaption>
    <Figures bars={bars} title={title} />
  </figure>
);

const Drawing: Component<{ bars: readonly Bar[] }> = ({ bars }) => {
  // For drawing only; readers get the text.
  const came = bars.map(({ inText }) => Number(inText));
  const went = bars.map(({ outText }) => Number(outText));
  const most = Math.max(...came, ...went, 0);
  return (
    <>
      <path class="in" d={barsPath(came, { most, offset: .12 })} />
      <path class="out" d={barsPath(went, { most, offset: .52 })} />
      <line class="axis" x1="0" x2={WIDTH} y1={FLOOR} y2={FLOOR} />
      <text x="0" y={HEIGHT - 4}>{bars[0]?.label}</text>
      <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">{bars.at(-1)?.label}</text>
    </>
  );
};

/** One shape per colour: an element for each bar would be a third of the page. */
function barsPath(
  sizes: readonly number[],
  { most, offset }: { most: number; offset: number },
): string {
  const step = WIDTH / sizes.length;
  const width = round(step * .36);
  return sizes.map((size, i) => {
    if (size <= 0) return "";
    const height = round(size / most * (FLOOR - TOP));
    return `M${round((i + offset) * step)} ${FLOOR}v-${height}h${width}v${height}z`;
  }).join("");
}

const Figures: Component<{ bars: readonly Bar[]; title: string }> = ({ bars, title }) => (
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
        <tbody>{bars.filter(isUsed).map((bar) => <Row bar={bar} />)}</tbody>
      </table>
    </div>
  </details>
);

const Row: Component<{ bar: Bar }> = ({ bar }) => (
  <tr>
    <td>{bar.label}</td>
    <td class="number">{bar.inText}</td>
    <td class="number">{bar.outText}</td>
  </tr>
);

function isUsed({ inText, outText }: Bar): boolean {
  return inText !== "0" || outText !== "0";
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
