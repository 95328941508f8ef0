import type { DecidingRule } from './decision.ts'

/** A failed detector, transform or condition. Contains no content and no error message, because a message may quote content. */
export interface Fault {
  readonly kind: 'detector' | 'transform' | 'condition'
  /** The detector; the policy point of the transform; the kind of failure of the condition. */
  readonly name: string
  /** `threw`, or `overran` its time. */
  readonly how: 'threw' | 'overran'
  /** The error thrown; only its class and place are reported. */
  readonly error?: unknown
}

export type ReportFault = (fault: Fault) => void

/** Failed detectors and transforms are among the deciding rules, too; they are reported where they fail. */
const isCondition = ({ id }: DecidingRule): boolean => id !== 'transform' && !id.startsWith('detector:')

export function reportBrokenConditions(rules: readonly DecidingRule[], report: ReportFault): void {
  for (const rule of rules) {
    if (rule.error !== undefined && isCondition(rule)) report({ kind: 'condition', name: rule.error, how: 'threw' })
  }
}

/** A detector failed on a text, so its findings are unknown. */
export class DetectorFailure extends Error {
  constructor(detectors: readonly string[]) {
    super(`The text could not be scanned: ${detectors.join(', ')} failed.`)
    this.name = 'DetectorFailure'
  }
}
