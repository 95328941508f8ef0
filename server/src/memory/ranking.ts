import type { MemoryKind } from '../domain/memory-words.ts'

const DAY = 86_400_000

interface Weight {
  /** What a memory of that kind counts, all else being equal. */
  readonly weight: number
  /** In how many days its freshness is worth half. */
  readonly halfLife: number
}

/** What somebody wants and has decided holds for long; where some work stands is soon out of date. */
const KINDS: Readonly<Record<MemoryKind, Weight>> = {
  preference: { weight: 1, halfLife: 365 },
  decision: { weight: 1, halfLife: 365 },
  fact: { weight: 0.95, halfLife: 180 },
  summary: { weight: 0.9, halfLife: 30 },
  workflow_state: { weight: 0.95, halfLife: 7 },
}

/** How much of the score an old memory may lose. */
const FRESHNESS = 0.3

/**
 * relevance × kind × (0.7 + 0.3 × 2^(−age ÷ half-life)): relevance leads, and freshness and kind decide among memories that fit about
 * equally well. Never more than `relevance`.
 */
export function scoreOf(relevance: number, { kind, createdAt }: { kind: MemoryKind; createdAt: Date }, now: Date): number {
  const { weight, halfLife } = KINDS[kind]
  const days = Math.max(0, now.getTime() - createdAt.getTime()) / DAY
  return relevance * weight * (1 - FRESHNESS + FRESHNESS * 2 ** (-days / halfLife))
}
