import { type Finding, groupOf } from '../domain/finding.ts'
import { resolveOverlaps } from './overlaps.ts'
import { count, type Scan } from './scan.ts'
import { scanInThread } from './scan-in-thread.ts'

/** A scan of texts of which some are also read joined. */
export interface JoinedScan extends Scan {
  /** The joined texts, one per line; empty when there are none. */
  readonly joined: string
}

/**
 * Scans texts apart, and each list of `joins` (indices of texts) joined as well: a word or a key may be split over two of them. What
 * is found in a joined text is a finding of every text that it lies in, so that a transform takes all of it away.
 */
export async function scanJoined(
  texts: readonly string[],
  joins: readonly (readonly number[])[],
  options: Parameters<typeof scanInThread>[1],
): Promise<JoinedScan> {
  const apart = await scanInThread(texts, options)
  if (joins.length === 0) return { ...apart, joined: '' }
  const joined = joins.map((indices) => indices.map((index) => texts[index] ?? '').join(''))
  const together = await scanInThread(joined, options)
  const lists = apart.findings.map((list) => [...list])
  // An invisible character is found where it stands: split, it hides no better.
  const visible = together.findings.map((list) => list.filter(({ type }) => groupOf(type) !== 'hidden'))
  for (const [at, indices] of joins.entries()) spread(visible[at] ?? [], indices, texts, lists)
  const findings = lists.map(resolveOverlaps)
  const failures = [...new Set([...apart.failures, ...together.failures])]
  return { findings, counts: count(findings), failures, joined: joined.join('\n') }
}

/** Gives each text its part of the findings in the joined one. Both in order: each text and finding is looked at once or twice. */
function spread(
  findings: readonly Finding[],
  indices: readonly number[],
  texts: readonly string[],
  lists: readonly Finding[][],
): void {
  const starts: number[] = []
  let length = 0
  for (const index of indices) {
    starts.push(length)
    length += (texts[index] ?? '').length
  }
  let first = 0
  for (const { type, start, end } of findings) {
    while (first + 1 < starts.length && (starts[first + 1] ?? 0) <= start) first++
    for (let at = first; at < indices.length && (starts[at] ?? 0) < end; at++) {
      const index = indices[at] ?? 0
      const from = starts[at] ?? 0
      const to = from + (texts[index] ?? '').length
      const piece = { type, start: Math.max(start, from) - from, end: Math.min(end, to) - from }
      if (piece.start < piece.end) lists[index]?.push(end > to ? { ...piece, continues: true } : piece)
    }
  }
}
