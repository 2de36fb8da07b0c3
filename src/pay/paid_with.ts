import type { Order } from "./order.ts";

/** What this browser paid with last: the coin that it is offered first. It says nothing else. */
const NAME = "paid_with";
const DAYS_180_S = 180 * 86_400;
const CHARS_MAX = 300;

export function paidWith(request: Request): string | null {
  const cookies = request.headers.get("cookie") ?? "";
  const [, value] = new RegExp(`(?:^|; )${NAME}=([^;]{1,${CHARS_MAX}})(?:;|$)`).exec(cookies) ?? [];
  return value ?? null;
}

/** Null: nothing has come, or the browser knows. */
export function rememberPaidWith(
  { payments, row: { methods } }: Pick<Order, "payments" | "row">,
  { known, isSecure }: { known: string | null; isSecure: boolean },
): string | null {
  const last = payments.at(-1)?.id;
  const isOffered = methods.some(({ network, currency }) => `${network}.${currency}` === last);
  if (last === undefined || !isOffered) return null;
  const value = cookieText(last);
  if (value === known || value.length > CHARS_MAX) return null;
  const rules = `Path=/pay; Max-Age=${DAYS_180_S}; HttpOnly; SameSite=Lax`;
  return `${NAME}=${value}; ${rules}${isSecure ? "; Secure" : ""}`;
}

/** A symbol may have any letters. */
export function cookieText(id: string): string {
  return encodeURIComponent(id);
}
