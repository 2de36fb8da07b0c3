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
