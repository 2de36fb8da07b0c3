import { z } from "zod";
import { EXPIRES_IN, REASON_MAX, redirectUrl as url, TOLERANCE_MAX } from "../rules/kinds.ts";
import { LANGUAGES } from "../rules/languages.ts";
import { JsonNumber } from "../../domain/money/amount_text.ts";
import { Amount } from "../../domain/money/amount.ts";
import { amount, text } from "../../http/body_schema.ts";
import { UNIT } from "../../http/openapi/json_schema.ts";

const METADATA_MAX = 20;
const METHODS_MAX = 100;
const URL_CHARS_MAX = 2_000;
const EXPIRES_IN_DEFAULT = 900;

const coin = z.strictObject({
  network: text({ min: 1, max: 32 }),
  currency: text({ min: 1, max: 32 }),
}, "Must be an object with only network and currency");

/** Greater than 0, and without zeros that say nothing. */
export const owed = amount.transform((plain, context) => {
  const exact = Amount.parse(plain, "");
  if (!exact.isZero()) return exact.toString();
  context.addIssue({ code: "custom", message: "Must be greater than 0" });
  return z.NEVER;
}).meta({ type: "string", examples: ["25"] });

const tolerance = amount.transform((plain, context) => {
  const exact = Amount.parse(plain, "");
  if (!Amount.parse(TOLERANCE_MAX, "").isLessThan(exact)) return exact.toString();
  context.addIssue({ code: "custom", message: `Must be from 0 to ${TOLERANCE_MAX}` });
  return z.NEVER;
}).meta({ type: "string", examples: ["0.5"] });

const expiresIn = z.unknown().transform((value, context) => {
  const seconds = value instanceof JsonNumber ? Number(value.source) : value;
  const isRight = typeof seconds === "number" && Number.isInteger(seconds) &&
    seconds >= EXPIRES_IN.min && seconds <= EXPIRES_IN.max;
  if (isRight) return seconds;
  const message = value === undefined
    ? "Required"
    : `Must be an integer from ${EXPIRES_IN.min} to ${EXPIRES_IN.max}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}).meta({
  type: "integer",
  minimum: EXPIRES_IN.min,
  maximum: EXPIRES_IN.max,
  examples: [EXPIRES_IN_DEFAULT],
  [UNIT]: "seconds",
});

export const redirectUrl = text({ min: 1, max: URL_CHARS_MAX }).refine(
  (value) => url.read(value) !== undefined,
  `Must be an https URL of at most ${URL_CHARS_MAX} characters once encoded`,
);

const metadata = z.record(text({ min: 1, max: 256 }), text({ max: 256 }), "Must be an object")
  .refine(
    (value) => Object.keys(value).length <= METADATA_MAX,
    `Must have at most ${METADATA_MAX} entries`,
  )
  .transform((value) => ({ ...value }));

export const NewInvoice = z.object({
  amount: owed,
  currency: text({ min: 1, max: 32 }).meta({
    description: "One with rates, such as EUR, or the symbol of an enabled coin.",
  }),
  methods: z.array(coin, "Must be a list").min(1, "Must not be empty")
    .max(METHODS_MAX, `Must have at most ${METHODS_MAX} entries`).optional().meta({
      description: "What the payer may choose from. By default every coin enabled for deposits.",
    }),
  method: coin.optional().meta({
    description: "If the payer has chosen already: the response then has its address.",
  }),
  reference: text({ max: 128 }).optional().meta({ description: "Your name for it." }),
  description: text({ max: 500 }).optional().meta({ description: "Shown to the payer." }),
  customer: text({ max: 256 }).optional().meta({
    description: "Your name for the customer. The payer doesn't see it.",
  }),
  metadata: metadata.optional().meta({ description: "At most 20 texts of your own." }),
  redirect_url: redirectUrl.optional().meta({
    description: "The way back to the shop, an https URL, with `invoice_id` and `status` added.",
  }),
  language: z.enum(LANGUAGES, `Must be one of ${LANGUAGES.join(", ")}`).optional(),
  expires_in: expiresIn.optional().meta({
    description: "In seconds. By default the account's, which is 900 unless it was set.",
  }),
  tolerance_percent: tolerance.optional().meta({
    description:
      'An underpayment up to this counts as paid. By default the account\'s, which is "0.5" unless it was set.',
  }),
  idempotency_key: text({ max: 128 }).optional().meta({
    description: "Repeating a request with the same key returns what the first one created.",
  }),
});

export const ChosenMethod = coin;
export const Extension = z.object({
  expires_in: expiresIn.meta({ description: "In seconds, from now." }),
});
export const Acceptance = z.object({ reason: text({ min: 1, max: REASON_MAX }) });
