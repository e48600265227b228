/** How long a saved operation takes, as far as buckets tell. */
export interface SavedTimes {
  /** Successful answers so far. */
  readonly count: number;
  /** Seconds within which half of them, and 99 of 100, were answered; null beyond the last bucket, absent without answers. */
  readonly p50?: number | null;
  readonly p99?: number | null;
}

/** Names a saved operation. */
export interface SavedName {
  readonly collection: string;
  readonly name: string;
}
