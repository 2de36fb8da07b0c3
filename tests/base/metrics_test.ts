import assert from "node:assert/strict";
import { createMetrics } from "../../src/base/metrics.ts";

const KNOWN = {
  requests_total: { kind: "counter", help: "Requests." },
  queue_depth: { kind: "gauge", help: "Waiting." },
  request_seconds: { kind: "histogram", help: "Durations." },
} as const;

const linesOf = (text: string, name: string) =>
  text.split("\n").filter((line) => line.startsWith(name));

Deno.test("every known metric has help and type, even before anything is counted", () => {
  assert.equal(
    createMetrics(KNOWN).text(),
    [
      "# HELP requests_total Requests.",
      "# TYPE requests_total counter",
      "# HELP queue_depth Waiting.",
      "# TYPE queue_depth gauge",
      "# HELP request_seconds Durations.",
      "# TYPE request_seconds histogram",
      "",
    ].join("\n"),
  );
});

Deno.test("counters add up for each set of labels", () => {
  const metrics = createMetrics(KNOWN);
  metrics.count("requests_total", { status: "200" });
  metrics.count("requests_total", { status: "200" });
  metrics.count("requests_total", { status: "500" }, 5);
  metrics.count("requests_total");
  assert.deepEqual(linesOf(metrics.text(), "requests_total"), [
    'requests_total{status="200"} 2',
    'requests_total{status="500"} 5',
    "requests_total 1",
  ]);
});

Deno.test("a gauge has the value it was last set to", () => {
  const metrics = createMetrics(KNOWN);
  metrics.gauge("queue_depth", 7);
  metrics.gauge("queue_depth", 0);
  assert.deepEqual(linesOf(metrics.text(), "queue_depth"), ["queue_depth 0"]);
});

Deno.test("a histogram's buckets are cumulative, include their limits, and end with the total", () => {
  const metrics = createMetrics(KNOWN);
  for (const seconds of [0.0005, 0.001, 0.0011, 10, 11]) {
    metrics.observe("request_seconds", seconds);
  }
  const lines = linesOf(metrics.text(), "request_seconds");
  assert.equal(lines[0], 'request_seconds_bucket{le="0.001"} 2');
  assert.equal(lines[1], 'request_seconds_bucket{le="0.0025"} 3');
  assert.deepEqual(lines.slice(-4), [
    'request_seconds_bucket{le="10"} 4',
    'request_seconds_bucket{le="+Inf"} 5',
    `request_seconds_sum ${0.0005 + 0.001 + 0.0011 + 10 + 11}`,
    "request_seconds_count 5",
  ]);
});

Deno.test("a histogram keeps each set of labels separate and puts the limit last", () => {
  const metrics = createMetrics(KNOWN);
  metrics.observe("request_seconds", 0.2, { route: "a" });
  metrics.observe("request_seconds", 0.2, { route: "b" });
  const lines = linesOf(metrics.text(), "request_seconds");
  assert.equal(
    lines.filter((line) => line === 'request_seconds_bucket{route="a",le="0.25"} 1').length,
    1,
  );
  assert.ok(lines.includes('request_seconds_count{route="b"} 1'));
  assert.ok(lines.includes('request_seconds_sum{route="b"} 0.2'));
});

Deno.test("quotes, backslashes and line breaks in a label can't break the text", () => {
  const metrics = createMetrics(KNOWN);
  metrics.count("requests_total", { path: 'a"b\\c\nd' });
  assert.deepEqual(linesOf(metrics.text(), "requests_total"), [
    'requests_total{path="a\\"b\\\\c\\nd"} 1',
  ]);
});
