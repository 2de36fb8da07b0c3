import { z } from "zod";
import { fromBase64Url } from "../../base/bytes.ts";

/** A credential's id has at most 1,023 bytes. */
const ID = base64Url(1_364);
const PART = base64Url(8_000);
const ANSWER_MAX = 24_000;
const TRANSPORTS_MAX = 10;
const TRANSPORT_MAX = 20;

const CREATED = z.object({
  id: ID,
  rawId: ID,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: PART,
    attestationObject: PART,
    transports: z.array(z.string().max(TRANSPORT_MAX)).max(TRANSPORTS_MAX),
  }),
});
const PROVEN = z.object({
  id: ID,
  rawId: ID,
  type: z.literal("public-key"),
  response: z.object({ clientDataJSON: PART, authenticatorData: PART, signature: PART }),
});
const CLIENT_DATA = z.object({
  challenge: base64Url(1_000),
  crossOrigin: z.literal(false).optional(),
});

type Answered<T> = T & { readonly challenge: string };

/** What the browser made, as our script writes it down. Undefined if it is anything else. */
export function readCreated(text: string): Answered<z.infer<typeof CREATED>> | undefined {
  return readAnswer(CREATED, text);
}

export function readProven(text: string): Answered<z.infer<typeof PROVEN>> | undefined {
  return readAnswer(PROVEN, text);
}

function readAnswer<T extends { response: { clientDataJSON: string } }>(
  shape: z.ZodType<T>,
  text: string,
): Answered<T> | undefined {
  if (text.length > ANSWER_MAX) return undefined;
  const answer = shape.safeParse(fromJson(text)).data;
  const bytes = answer && fromBase64Url(answer.response.clientDataJSON);
  const said = CLIENT_DATA.safeParse(bytes && fromJson(new TextDecoder().decode(bytes))).data;
  return answer && said && { ...answer, challenge: said.challenge };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function base64Url(max: number) {
  return z.string().min(1).max(max).regex(/^[\w-]+$/);
}
