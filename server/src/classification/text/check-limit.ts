/**
 * A check that costs microseconds (a library's) is worth it for a handful of candidates, not for the 80,000 that a hostile
 * megabyte holds. After `limit` calls the answer is yes unseen: the candidate already has the shape, and a false alarm in such a
 * text does less harm than a leak.
 */
export function bounded(limit: number): (check: () => boolean) => boolean {
  let left = limit
  return (check) => left-- <= 0 || check()
}
