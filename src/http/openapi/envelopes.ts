import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

const FieldFault = z.object({ field: z.string(), message: z.string() });

/** The body of every answer that isn't a success (contract 2). */
export const Failure = z.object({
  success: z.literal(false),
  message: z.string(),
  error: z.object({
    code: z.string(),
    request_id: z.string().meta({ description: "The same as the header X-Request-Id." }),
    fields: z.array(FieldFault).optional().meta({
      description: "With a 422: which fields are wrong, and why.",
    }),
    details: z.record(z.string(), z.union([z.string(), z.int()])).optional().meta({
      description:
        "The numbers behind the refusal, as the table of errors describes them for each code.",
      examples: [{
        ...{ amount: "20", fee: "1.1", total: "21.1", available: "15" },
        ...{ network: "ETH", currency: "USDT" },
      }],
    }),
  }),
  data: z.unknown().optional().meta({ description: "With a 502: the withdrawal that failed." }),
}).meta({ id: "Failure" });

/** The whole body of a success. */
export function answerTo({ data, list, message = "OK" }: Endpoint): z.ZodType {
  const success = { success: z.literal(true), message: z.literal(message) };
  if (!list) return z.object({ ...success, data });
  const rows = z.object({ ...success, data: z.array(data), data_count: z.int().min(0) });
  if (list === "whole") return rows;
  return rows.extend({
    next_cursor: (list === "opaque pages" ? z.string() : z.int()).nullable().meta({
      description: "The `cursor` of the next page; null if there is none.",
    }),
    has_more: z.boolean(),
  });
}

export function exampleOf({ list, message = "OK", example: { data } }: Endpoint): object {
  const success = { success: true, message };
  if (!list) return { ...success, data };
  const rows = { ...success, data: [data], data_count: 1 };
  return list === "whole" ? rows : { ...rows, next_cursor: null, has_more: false };
}
