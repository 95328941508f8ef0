import type { MemoryKind } from '../../shared/memory-words.ts'

const DAY = 86_400_000

interface Weight {
  /** Factor of this kind of memory. */
  readonly weight: number
  /** Days until the freshness has half its value. */
  readonly halfLife: number
}

/** Preferences and decisions stay valid for long; the state of a workflow is soon out of date. */
const KINDS: Readonly<Record<MemoryKind, Weight>> = {
  preference: { weight: 1, halfLife: 365 },
  decision: { weight: 1, halfLife: 365 },
  fact: { weight: 0.95, halfLife: 180 },
  summary: { weight: 0.9, halfLife: 30 },
  workflow_state: { weight: 0.95, halfLife: 7 },
}

/** The share of the score that an old memory can lose. */
const FRESHNESS = 0.3

/**
 * relevance × kind × (0.7 + 0.3 × 2^(−age ÷ half-life)). Freshness and kind decide among memories of similar relevance. Never more
 * than `relevance`.
 */
export function scoreOf(relevance: number, { kind, createdAt }: { kind: MemoryKind; createdAt: Date }, now: Date): number {
  const { weight, halfLife } = KINDS[kind]
  const days = Math.max(0, now.getTime() - createdAt.getTime()) / DAY
  return relevance * weight * (1 - FRESHNESS + FRESHNESS * 2 ** (-days / halfLife))
}
