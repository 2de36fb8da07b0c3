import { z } from "zod";

/** What answers and events are made of. An `id` is the name in the published document. */

export const Amount = z.string().meta({
  id: "Amount",
  pattern: "^-?\\d+(\\.\\d+)?$",
  description:
    "A decimal in human units: plain digits, no exponent, no trailing zeros. Never parse it as a float.",
  examples: ["12.5"],
});

export const Time = z.string().meta({
  id: "Time",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\+00:00$",
  description: "ISO 8601 in UTC, to the second.",
  examples: ["2026-01-31T12:00:00+00:00"],
});

export const Id = z.int().min(1);

export const Currency = z.string().meta({
  description: "The symbol. It may exist on several networks, so always pair it with the network.",
});

export const Network = z.string().meta({ description: "The network's code, such as ETH or TRX." });

export const TxHash = z.string().meta({ description: "The transaction's hash on its network." });

export const Confirmations = z.int().min(0).meta({
  description:
    "The number of blocks from the transaction's block to the newest, counting both; 0 until it is in a block.",
});

export const BlockNumber = z.int().min(0).meta({
  description:
    "The block it was first seen in; 0 until a transaction sent by the gateway, or a payment that was seen before its block, is in one.",
});

export const NetworkFilter = z.string().meta({
  description: "Only this network. Its code is not case-sensitive.",
});

export const CurrencyFilter = z.string().meta({
  description: "Only this currency. Its symbol is not case-sensitive.",
});
