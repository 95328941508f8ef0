import type { PolicySet, Rule } from './policy.ts'

/** What a new version changes, rule by rule, for whoever approves it. */
export interface PolicyDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly RuleChange[]
  /** Rules that both have stand in another order: obligations are listed in rule order. */
  readonly reordered: boolean
  /** Names of texts that were added, removed or rewritten. */
  readonly texts: readonly string[]
}

interface RuleChange {
  readonly id: string
  readonly fields: readonly FieldChange[]
}

/** Values as the document has them (`hold_expires_in` in milliseconds); null: not set. */
interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

export function diffPolicySets(before: PolicySet, after: PolicySet): PolicyDiff {
  const old = new Map(before.rules.map((rule) => [rule.id, rule]))
  const now = new Map(after.rules.map((rule) => [rule.id, rule]))
  const kept = before.rules.flatMap((rule) => {
    const same = now.get(rule.id)
    return same ? [{ before: rule, after: same }] : []
  })
  const order = after.rules.filter(({ id }) => old.has(id))
  return {
    added: after.rules.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.rules.filter(({ id }) => !now.has(id)).map(({ id }) => id),
    changed: kept.flatMap((pair) => {
      const fields = changedFields(pair.before, pair.after)
      return fields.length > 0 ? [{ id: pair.before.id, fields }] : []
    }),
    reordered: kept.some((pair, index) => order[index]?.id !== pair.before.id),
    texts: [...new Set([...before.texts.keys(), ...after.texts.keys()])].filter(
      (name) => before.texts.get(name) !== after.texts.get(name),
    ),
  }
}

/** The names of the document, not ours. */
const FIELDS: Readonly<Record<string, (rule: Rule) => unknown>> = {
  description: (rule) => rule.description,
  at: (rule) => rule.at,
  when: (rule) => rule.when,
  verdict: (rule) => rule.verdict,
  risk: (rule) => rule.risk,
  classification: (rule) => rule.classification,
  transforms: (rule) => rule.transforms,
  directives: (rule) => rule.directives,
  hold_expires_in: (rule) => rule.holdExpiresInMs,
  on_error: (rule) => rule.onError,
}

const changedFields = (before: Rule, after: Rule): readonly FieldChange[] =>
  Object.entries(FIELDS).flatMap(([field, read]) => {
    const change = { field, before: read(before) ?? null, after: read(after) ?? null }
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
  })
