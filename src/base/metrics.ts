/** Counters, gauges and histograms of one process, as Prometheus text. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  gauge(name: string, value: number, labels?: Labels): void;
  observe(name: string, seconds: number, labels?: Labels): void;
  /** For frequent counts: joins the labels only once. */
  counter(name: string, labels?: Labels): () => void;
  histogram(name: string, labels?: Labels): (seconds: number) => void;
  /** Public readers don't get private metrics. */
  text(reader?: { isPublic: boolean }): string;
}

type Labels = Readonly<Record<string, string>>;

export interface MetricHelp {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Its labels name accounts, wallets or amounts. */
  readonly isPrivate?: true;
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

export function createMetrics(known: Readonly<Record<string, MetricHelp>>): Metrics {
  const values = new Map<string, Map<string, { value: number }>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const series = <T>(all: Map<string, Map<string, T>>, name: string) => {
    let found = all.get(name);
    if (!found) all.set(name, found = new Map());
    return found;
  };
  const histogramOf = (name: string, labels: Labels) => {
    const all = series(histograms, name);
    const key = labelText(labels);
    const histogram = all.get(key) ?? { counts: BUCKETS_S.map(() => 0), sum: 0, count: 0 };
    all.set(key, histogram);
    return histogram;
  };
  const valueOf = (name: string, labels: Labels) => {
    const all = series(values, name);
    const key = labelText(labels);
    const held = all.get(key) ?? { value: 0 };
    all.set(key, held);
    return held;
  };
  return {
    count: (name, labels = {}, by = 1) => {
      valueOf(name, labels).value += by;
    },
    gauge: (name, value, labels = {}) => {
      valueOf(name, labels).value = value;
    },
    observe: (name, seconds, labels = {}) => observe(histogramOf(name, labels), seconds),
    counter: (name, labels = {}) => {
      const held = valueOf(name, labels);
      return () => {
        held.value++;
      };
    },
    histogram: (name, labels = {}) => {
      const histogram = histogramOf(name, labels);
      return (seconds) => observe(histogram, seconds);
    },
    text: ({ isPublic } = { isPublic: false }) =>
      Object.entries(known).filter(([, { isPrivate }]) => !(isPublic && isPrivate)).flatMap((
        [name, { kind, help }],
      ) => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${kind}`,
        ...kind === "histogram"
          ? [...series(histograms, name)].flatMap(([key, value]) =>
            histogramLines(name, key, value)
          )
          : [...series(values, name)].map(([key, { value }]) => `${name}${braces(key)} ${value}`),
      ]).join("\n") + "\n",
  };
}

function observe(histogram: Histogram, seconds: number): void {
  histogram.sum += seconds;
  histogram.count++;
  const bucket = BUCKETS_S.findIndex((limit) => seconds <= limit);
  if (bucket >= 0) histogram.counts[bucket]!++;
}

function histogramLines(name: string, key: string, { counts, sum, count }: Histogram): string[] {
  const comma = key === "" ? "" : ",";
  let below = 0;
  const buckets = counts.map((inBucket, i) => {
    below += inBucket;
    return `${name}_bucket{${key}${comma}le="${BUCKETS_S[i]}"} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${key}${comma}le="+Inf"} ${count}`,
    `${name}_sum${braces(key)} ${sum}`,
    `${name}_count${braces(key)} ${count}`,
  ];
}

function labelText(labels: Labels): string {
  let text = "";
  for (const name in labels) {
    const value = labels[name]!.replace(/[\\"\n]/g, (c) => c === "\n" ? "\\n" : `\\${c}`);
    text += `${text === "" ? "" : ","}${name}="${value}"`;
  }
  return text;
}

function braces(key: string): string {
  return key === "" ? "" : `{${key}}`;
}
