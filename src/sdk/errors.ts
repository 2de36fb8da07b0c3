/** Anything that went wrong with a request. */
export class CpgError extends Error {
  override name = "CpgError";

  constructor(message: string, readonly detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
  }

  /** What went wrong, for programs: the gateway's code if it refused the request. */
  get code(): string {
    return "unknown";
  }

  /** The reference of the request, which can be repeated safely with the same one. */
  get reference(): string | undefined {
    return this.detail.reference;
  }

  /** Identifies the request in the gateway's log. */
  get requestId(): string | undefined {
    return this.detail.requestId;
  }
}

export interface ErrorDetail {
  readonly reference?: string | undefined;
  readonly requestId?: string | undefined;
  readonly status?: number;
  readonly cause?: unknown;
}

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** The gateway refused the request. */
export class RefusedError extends CpgError {
  override name = "RefusedError";

  constructor(
    message: string,
    readonly refusal: {
      readonly status: number;
      readonly code: string;
      /** Which fields are wrong, with a 422. */
      readonly fields: readonly FieldFault[];
      /** The numbers behind it, such as `minimum` or `available`, for the codes that have some. */
      readonly details: Readonly<Record<string, string | number>>;
      /** The withdrawal that failed, with a 502. */
      readonly data: unknown;
      /** When to try again, with a 429 or 503. */
      readonly retryAfterS: number;
    },
    detail: ErrorDetail,
  ) {
    super(message, detail);
  }

  get status(): number {
    return this.refusal.status;
  }

  override get code(): string {
    return this.refusal.code;
  }

  get fields(): readonly FieldFault[] {
    return this.refusal.fields;
  }

  get details(): Readonly<Record<string, string | number>> {
    return this.refusal.details;
  }
}

/**
 * No answer came, or one that doesn't tell what was done, such as a proxy's or a 500. Nobody knows
 * whether the request was carried out. Repeat it with its reference.
 */
export class NoAnswerError extends CpgError {
  override name = "NoAnswerError";

  override get code(): string {
    return "no_answer";
  }

  /** Of what a proxy said instead of the gateway, or 500. */
  get status(): number | undefined {
    return this.detail.status;
  }
}

/** The reference belongs to an earlier request that asked for something else. Nothing was done. */
export class ReferenceUsedError extends CpgError {
  override name = "ReferenceUsedError";

  override get code(): string {
    return "reference_used";
  }

  constructor(readonly earlier: unknown, detail: ErrorDetail) {
    super("This reference was used for a different request", detail);
  }
}

/** The withdrawal with this reference failed or was cancelled. To try again, use a new one. */
export class WithdrawalFailedError extends CpgError {
  override name = "WithdrawalFailedError";

  override get code(): string {
    return "withdrawal_failed";
  }

  constructor(readonly withdrawal: unknown, detail: ErrorDetail) {
    super("The withdrawal with this reference failed or was cancelled earlier", detail);
  }
}

/** A webhook that isn't genuine, is too old, or is only a sample. */
export class WebhookError extends Error {
  override name = "WebhookError";
}
