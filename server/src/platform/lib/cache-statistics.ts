/** How often a cache had the value, since the start of the process, and how many entries it has now. */
export interface CacheStatistics {
  readonly hits: number
  readonly misses: number
  readonly size: number
}
