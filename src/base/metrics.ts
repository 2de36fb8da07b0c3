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
  const values = new Series(() => ({ value: 0 }));
  const histograms = new Series<Histogram>(() => ({
    counts: BUCKETS_S.map(() => 0),
    sum: 0,
    count: 0,
  }));
  const linesOf = (name: string, kind: MetricHelp["kind"]) =>
    kind === "histogram"
      ? [...histograms.named(name)].flatMap(([key, value]) => histogramLines(name, key, value))
      : [...values.named(name)].map(([key, { value }]) => `${name}${braces(key)} ${value}`);
  return {
    count: (name, labels = {}, by = 1) => {
      values.of(name, labels).value += by;
    },
    gauge: (name, value, labels = {}) => {
      values.of(name, labels).value = value;
    },
    observe: (name, seconds, labels = {}) => observe(histograms.of(name, labels), seconds),
    counter: (name, labels = {}) => {
      const held = values.of(name, labels);
      return () => {
        held.value++;
      };
    },
    histogram: (name, labels = {}) => {
      const histogram = histograms.of(name, labels);
      return (seconds) => observe(histogram, seconds);
    },
    text: ({ isPublic } = { isPublic: false }) =>
      Object.entries(known).filter(([, { isPrivate }]) => !(isPublic && isPrivate))
        .flatMap(([name, { kind, help }]) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${kind}`,
          ...linesOf(name, kind),
        ]).join("\n") + "\n",
  };
}

/** What is counted under one name, by its labels. */
class Series<T> {
  readonly #all = new Map<string, Map<string, T>>();

  constructor(readonly empty: () => T) {}

  named(name: string): Map<string, T> {
    let found = this.#all.get(name);
    if (!found) this.#all.set(name, found = new Map());
    return found;
  }

  of(name: string, labels: Labels): T {
    const named = this.named(name);
    const key = labelText(labels);
    let found = named.get(key);
    if (!found) named.set(key, found = this.empty());
    return found;
  }
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
