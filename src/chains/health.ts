/** What is known of an endpoint's socket. */
export interface PushHealth {
  /** Null: it has none. */
  readonly isPushing: boolean | null;
  /** Why it pushes nothing. */
  readonly pushError: string | null;
}

/** What is known of an endpoint without asking it. */
export interface EndpointHealth {
  readonly host: string;
  /** It answered its last question in time and may be used. */
  readonly isReachable: boolean;
  readonly height: number | null;
  readonly finalizedHeight: number | null;
  /** Null: not asked, or it has neither. */
  readonly isTracing: boolean | null;
  readonly lastError: string | null;
  readonly failedAtMs: number | null;
  readonly answeredAtMs: number | null;
}
