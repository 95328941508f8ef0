import type { Health } from './health.ts'
import type { Candidate } from './route.ts'

/**
 * Sorts the candidates whose breakers are open among themselves, the longest due first. A probe that hangs uses the time of the
 * probes after it. It is then sorted behind them, so that each candidate is probed.
 */
export function sortByProbeDue(candidates: readonly Candidate[], health: Health): readonly Candidate[] {
  const probeDue = ({ provider }: Candidate) => health.probeDue(provider)
  const open = candidates.filter((candidate) => probeDue(candidate) !== undefined)
  if (open.length < 2) return candidates
  const sorted = open.toSorted((a, b) => (probeDue(a) ?? 0) - (probeDue(b) ?? 0)).values()
  return candidates.map((candidate) => (open.includes(candidate) ? (sorted.next().value ?? candidate) : candidate))
}
