import type { DecidingRule } from './decision.ts'

/** Something that was to judge or change a content broke down. Holds no content, and no message of an error: one may quote content. */
export interface Fault {
  readonly kind: 'detector' | 'transform' | 'condition'
  /** The detector; the policy point of the transform; in what way the condition broke. */
  readonly name: string
  /** `threw`, or `overran` its time. */
  readonly how: 'threw' | 'overran'
  /** What was thrown; only its class and place are told. */
  readonly error?: unknown
}

export type ReportFault = (fault: Fault) => void

/** Detectors and transforms that broke down stand among the deciding rules, and are reported where it happens. */
const isCondition = ({ id }: DecidingRule): boolean => id !== 'transform' && !id.startsWith('detector:')

/** Reports the rules of a decision whose conditions broke. */
export function reportBrokenConditions(rules: readonly DecidingRule[], report: ReportFault): void {
  for (const rule of rules) {
    if (rule.error !== undefined && isCondition(rule)) report({ kind: 'condition', name: rule.error, how: 'threw' })
  }
}
