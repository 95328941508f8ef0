import { camelCase } from '../../platform/lib/camel-case.ts'
import type { PolicySet, Rule } from './policy.ts'
import { RULE_FIELDS } from './rule-reader.ts'
import { weakens } from './weakens.ts'

export interface PolicyDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly id: string; readonly fields: readonly FieldChange[] }[]
  /** Rules of both versions have another order, which changes the order of obligations. */
  readonly reordered: boolean
  readonly texts: readonly string[]
}

/** Values of the document (`hold_expires_in` in milliseconds); null: not set. */
interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** The rule demands less than before. A changed condition can weaken a rule too, which is not known. */
  readonly weakens: boolean
}

export function diffPolicySets(before: PolicySet, after: PolicySet): PolicyDiff {
  const oldIds = new Set(before.rules.map(({ id }) => id))
  const newRules = new Map(after.rules.map((rule) => [rule.id, rule]))
  const kept = before.rules.flatMap((rule) => {
    const newRule = newRules.get(rule.id)
    return newRule ? [{ before: rule, after: newRule }] : []
  })
  const keptInNewOrder = after.rules.filter(({ id }) => oldIds.has(id))
  return {
    added: after.rules.filter(({ id }) => !oldIds.has(id)).map(({ id }) => id),
    removed: before.rules.filter(({ id }) => !newRules.has(id)).map(({ id }) => id),
    changed: kept.flatMap((pair) => {
      const fields = changedFields(pair.before, pair.after)
      return fields.length > 0 ? [{ id: pair.before.id, fields }] : []
    }),
    reordered: kept.some((pair, index) => keptInNewOrder[index]?.id !== pair.before.id),
    texts: [...new Set([...before.texts.keys(), ...after.texts.keys()])].filter(
      (name) => before.texts.get(name) !== after.texts.get(name),
    ),
  }
}

const fieldOf = (rule: Rule, field: string): unknown =>
  Reflect.get(rule, field === 'hold_expires_in' ? 'holdExpiresInMs' : camelCase(field)) ?? null

/** Without effect on a request that is denied. */
const ONLY_FOR_ALLOWED: ReadonlySet<string> = new Set(['transforms', 'directives', 'approvals'])

const changedFields = (before: Rule, after: Rule): readonly FieldChange[] =>
  RULE_FIELDS.flatMap((field) => {
    const change = { field, before: fieldOf(before, field), after: fieldOf(after, field) }
    if (JSON.stringify(change.before) === JSON.stringify(change.after)) return []
    const isMoot = after.verdict === 'deny' && ONLY_FOR_ALLOWED.has(field)
    return [{ ...change, weakens: !isMoot && weakens(field, change.before, change.after) }]
  })
