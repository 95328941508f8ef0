import { createHash } from 'node:crypto'
import type { Classification, RiskLevel } from '../../shared/classification.ts'
import type { PolicyPoint, Verdict } from '../../shared/decision.ts'
import type { Condition } from './condition/condition.ts'
import type { Growth } from './condition/growth.ts'
import type { PolicyTest } from './policy-test-reader.ts'

/** A parsed and checked policy document (GW-POL-3). */
export interface PolicySet {
  readonly name: string
  readonly tests: readonly string[]
  readonly cases: readonly PolicyTest[]
  readonly texts: ReadonlyMap<string, string>
  readonly rules: readonly Rule[]
}

export interface Rule {
  readonly id: string
  readonly description: string
  readonly at: readonly PolicyPoint[]
  /** CEL. Checked: it parses, all its names exist at every point of `at`, and its result is a boolean. */
  readonly when: string
  readonly condition: Condition
  readonly growth: Growth
  /** The names that the condition reads: `hit.collection`. */
  readonly reads: readonly string[]
  readonly verdict: Verdict
  readonly risk?: RiskLevel
  readonly classification?: Classification
  /** As written in the document: `redact:pii` (parseTransform). */
  readonly transforms: readonly string[]
  /** As written in the document: `route:region=eu` (parseDirective). */
  readonly directives: readonly string[]
  readonly holdExpiresInMs?: number
  /** Number of different operators who must approve; absent: one. */
  readonly approvals?: number
  readonly onError: 'deny' | 'skip'
}

/** Limits of a document, because it is parsed on the event loop. */
export const POLICY_LIMITS = {
  sourceBytes: 256 * 1024,
  rules: 1_000,
  conditionLength: 4_096,
  nameLength: 100,
  descriptionLength: 2_000,
  texts: 100,
  textLength: 16 * 1024,
  tests: 500,
  listLength: 50,
  approvals: { min: 1, max: 5 },
  holdMs: { min: 1_000, max: 30 * 86_400_000 },
} as const

export const policySha256 = (source: string): string => createHash('sha256').update(source, 'utf8').digest('hex')
