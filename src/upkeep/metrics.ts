import { createMetrics, type MetricHelp, type Metrics } from "../base/metrics.ts";

const METRICS = {
  cpg_http_requests_total: {
    kind: "counter",
    help: "Answered requests by method, route and status.",
  },
  cpg_http_request_seconds: {
    kind: "histogram",
    help: "Time from a request's first byte to its answer.",
  },
  cpg_write_queue_depth: { kind: "gauge", help: "Units of work waiting for the writer." },
  cpg_network_scan_height: { kind: "gauge", help: "Last block that was read." },
  cpg_network_tip_height: { kind: "gauge", help: "Newest block that the nodes have reported." },
  cpg_network_lag_blocks: {
    kind: "gauge",
    help: "Blocks between the node's tip and the last one read; NaN while no node answers.",
  },
  cpg_network_seconds_since_answer: {
    kind: "gauge",
    help: "Time since a node last reported where the chain is.",
  },
  cpg_network_halted: {
    kind: "gauge",
    help: "1 while a network is halted until an operator resumes it.",
  },
  cpg_network_sockets_down: {
    kind: "gauge",
    help: "Sockets of nodes that push no heads now.",
  },
  cpg_network_faults_total: {
    kind: "counter",
    help: "Steps along a chain that failed and are repeated.",
  },
  cpg_mempool_looks_total: {
    kind: "counter",
    help: "Looks at what waits for a block, by result: done, or failed where no node answers.",
  },
  cpg_network_fee_rate: {
    kind: "gauge",
    help: "What a payment offers now, in sat/vB; NaN while no node answers. Bitcoin and Litecoin.",
  },
  cpg_withdrawals_open: {
    kind: "gauge",
    help: "Withdrawals that are neither final nor cancelled.",
  },
  cpg_deposits_unconfirmed: {
    kind: "gauge",
    help: "Detected deposits that wait for confirmations.",
  },
  cpg_alerts_open: { kind: "gauge", help: "Alerts that wait for an operator." },
  cpg_stopped: { kind: "gauge", help: "1 while an operator has stopped all signing." },
  cpg_hot_wallet_balance: {
    kind: "gauge",
    help: "What a hot wallet holds of its coin and of each token it pays, in whole units.",
    isPrivate: true,
  },
  cpg_hot_wallet_outputs: {
    kind: "gauge",
    help: "Outputs that a hot wallet may spend. Bitcoin and Litecoin.",
    isPrivate: true,
  },
  cpg_hot_wallet_unmined: {
    kind: "gauge",
    help: "Most of a hot wallet's transactions in no block that hang together; payouts wait at 20.",
    isPrivate: true,
  },
  cpg_webhook_attempts_total: {
    kind: "counter",
    help: "Webhook attempts by result: delivered, failed, dead, disabled or gone.",
  },
  cpg_webhooks_pending: { kind: "gauge", help: "Deliveries of events that wait for an endpoint." },
  cpg_webhooks_oldest_seconds: {
    kind: "gauge",
    help: "Age of the oldest event that waits for an endpoint.",
  },
} as const satisfies Record<string, MetricHelp>;

export function createGatewayMetrics(): Metrics {
  return createMetrics(METRICS);
}
