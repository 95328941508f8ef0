import { type Finding, groupOf } from '../../shared/finding.ts'
import { resolveOverlaps } from './overlaps.ts'
import { count, type Scan } from './scan.ts'
import { scanInThread } from './scan-in-thread.ts'

/** A scan of texts, some of which are additionally read joined. */
export interface JoinedScan extends Scan {
  /** The joined texts, one per line; empty: none. */
  readonly joined: string
}

/**
 * Scans each text, and additionally the joined texts of each list in `joins` (indices of texts), because a word or key can be split
 * over two texts. A finding in a joined text becomes a finding of every text that it covers, so that transforms remove all of it.
 */
export async function scanJoined(
  texts: readonly string[],
  joins: readonly (readonly number[])[],
  options: Parameters<typeof scanInThread>[1],
): Promise<JoinedScan> {
  const separate = await scanInThread(texts, options)
  if (joins.length === 0) return { ...separate, joined: '' }
  const joined = joins.map((indices) => indices.map((index) => texts[index] ?? '').join(''))
  const together = await scanInThread(joined, options)
  const lists = separate.findings.map((list) => [...list])
  // Hidden text is found in the separate texts already.
  const visible = together.findings.map((list) => list.filter(({ type }) => groupOf(type) !== 'hidden'))
  for (const [at, indices] of joins.entries()) distributeFindings(visible[at] ?? [], indices, texts, lists)
  const findings = lists.map(resolveOverlaps)
  const failures = [...new Set([...separate.failures, ...together.failures])]
  return { findings, counts: count(findings), failures, joined: joined.join('\n') }
}

/** Adds to each text its part of the findings in the joined text. Texts and findings are in order, so this takes linear time. */
function distributeFindings(
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
