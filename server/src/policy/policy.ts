import { createHash } from 'node:crypto'
import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { PolicyPoint, Verdict } from '../domain/decision.ts'
import type { Condition } from './condition/condition.ts'
import type { PolicyTest } from './policy-test-reader.ts'

/** One policy document as it was read and checked (GW-POL-3). Nothing in it needs checking again. */
export interface PolicySet {
  readonly name: string
  /** Files of policy tests, relative to the document. */
  readonly tests: readonly string[]
  /** Policy tests that stand in the document itself, between those files. */
  readonly cases: readonly PolicyTest[]
  /** Texts that a directive `system:<name>` puts before the messages. */
  readonly texts: ReadonlyMap<string, string>
  readonly rules: readonly Rule[]
}

export interface Rule {
  /** Unique in its set; named in decisions and records. */
  readonly id: string
  readonly description: string
  readonly at: readonly PolicyPoint[]
  /** CEL, known to parse, to name only what exists at every point of `at`, and to give a boolean. */
  readonly when: string
  /** The same, compiled. */
  readonly condition: Condition
  /** `allow` for a rule that only raises, transforms or steers. */
  readonly verdict: Verdict
  readonly risk?: RiskLevel
  readonly classification?: Classification
  /** Obligations as written, `redact:pii`; parseTransform takes each apart. */
  readonly transforms: readonly string[]
  /** Steering as written, `route:region=eu`; parseDirective takes each apart. */
  readonly directives: readonly string[]
  /** Only with `require_approval`. */
  readonly holdExpiresInMs?: number
  /** What a condition that breaks counts as: a denial, or nothing. */
  readonly onError: 'deny' | 'skip'
}

/** What a document may weigh at most. A set is read on the event loop, by whoever holds an admin token. */
export const POLICY_LIMITS = {
  sourceBytes: 256 * 1024,
  rules: 1_000,
  conditionLength: 4_096,
  nameLength: 100,
  descriptionLength: 2_000,
  texts: 100,
  textLength: 16 * 1024,
  /** Files and cases. */
  tests: 500,
  /** Entries of one rule's `transforms` and `directives`. */
  listLength: 50,
  holdMs: { min: 1_000, max: 30 * 86_400_000 },
} as const

/** The fingerprint under which a version is recorded: SHA-256 of the document byte for byte, in hex. */
export const policySha256 = (source: string): string => createHash('sha256').update(source, 'utf8').digest('hex')
