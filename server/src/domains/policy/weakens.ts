import { CLASSIFICATIONS, RISK_LEVELS } from '../../shared/classification.ts'
import { VERDICTS } from '../../shared/decision.ts'
import { parseDirective } from './directives.ts'
import type { RULE_FIELDS } from './rule-reader.ts'
import { losesTransforms } from './transforms.ts'

type Field = (typeof RULE_FIELDS)[number]

/** Whether a rule is surely weaker after a change of a field. Two conditions are not compared, except with `true`. */
export function weakens(field: Field, before: unknown, after: unknown): boolean {
  switch (field) {
    case 'at':
      return losesOne(before, after)
    case 'when':
      return before === 'true'
    case 'verdict':
      return isLower(VERDICTS, before, after)
    case 'risk':
      return isLower(RISK_LEVELS, before, after)
    case 'classification':
      return isLower(CLASSIFICATIONS, before, after)
    case 'transforms':
      return losesTransforms(before as readonly string[], after as readonly string[])
    case 'directives':
      return losesOne(before, after, replacesDirective)
    case 'approvals':
      return Number(after ?? 1) < Number(before ?? 1)
    case 'on_error':
      return after === 'skip'
    default:
      return false
  }
}

const isLower = (order: readonly unknown[], before: unknown, after: unknown): boolean =>
  order.indexOf(after) < order.indexOf(before)

const isSame = (after: string, before: string): boolean => after === before

function losesOne(before: unknown, after: unknown, replaces = isSame): boolean {
  const [earlier, later] = [before as readonly string[], after as readonly string[]]
  return earlier.some((one) => !later.some((other) => replaces(other, one)))
}

function replacesDirective(after: string, before: string): boolean {
  if (after === before) return true
  const [a, b] = [parseDirective(after), parseDirective(before)]
  const isLowerLimit = (key: 'maxTokens' | 'maxCost') => Number(a?.[key]) <= Number(b?.[key])
  return isLowerLimit('maxTokens') || isLowerLimit('maxCost') || (a?.memory === 'off' && b?.memory === 'audit_only')
}
