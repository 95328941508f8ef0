/**
 * Limits the number of checks by a library, which take microseconds each: a hostile megabyte has 80,000 candidates. After `limit` checks
 * the result is true, because the candidate has the right shape and a false positive does less harm than a leak.
 */
export function bounded(limit: number): (check: () => boolean) => boolean {
  let remaining = limit
  return (check) => remaining-- <= 0 || check()
}
