import { higherRisk, stricterClassification } from '../domain/classification.ts'
import { type DecidingRule, type Decision, type PolicyPoint, stricterVerdict } from '../domain/decision.ts'
import type { CompiledPolicy } from './compile.ts'
import { Bindings } from './condition/bindings.ts'
import type { PolicyInput } from './input.ts'
import type { Rule } from './policy.ts'

/**
 * Asks all rules of one point. The strictest verdict wins; classification and risk are only ever raised above the input's. A rule
 * whose condition breaks counts as a denial, unless it is marked `on_error: skip`. No rule matching, or no policy, means allow.
 *
 * Throws a TypeError when the input lacks what its point is about: that is the caller's mistake, and must not become an answer.
 */
export function evaluate(policy: CompiledPolicy | undefined, point: PolicyPoint, input: PolicyInput): Decision {
  const needed = SUBJECTS[point]
  if (needed && !input[needed]) throw new TypeError(`policies at ${point} need a ${needed}`)
  const bindings = new Bindings(input)
  let decision: Decision = {
    verdict: 'allow',
    classification: input.content.classification,
    risk: input.content.riskLevel,
    transforms: [],
    directives: [],
    rules: [],
  }
  for (const rule of policy?.rules[point] ?? []) {
    const outcome = rule.condition(input, bindings)
    if (outcome === true) decision = mergeDecisions(decision, demandOf(rule, point, decision))
    else if (outcome !== false && rule.onError === 'deny') {
      const broken: DecidingRule = { id: rule.id, point, verdict: 'deny', error: outcome }
      decision = { ...decision, verdict: 'deny', rules: [...decision.rules, broken] }
    }
  }
  return decision
}

const SUBJECTS: Readonly<Partial<Record<PolicyPoint, 'hit' | 'memory' | 'message'>>> = {
  retrieve: 'hit',
  recall: 'memory',
  remember: 'memory',
  message: 'message',
}

function demandOf(rule: Rule, point: PolicyPoint, { classification, risk }: Decision): Decision {
  const { id, verdict, transforms, directives, holdExpiresInMs } = rule
  return {
    verdict,
    classification: rule.classification ?? classification,
    risk: rule.risk ?? risk,
    transforms,
    directives,
    rules: [{ id, point, verdict }],
    ...(holdExpiresInMs !== undefined && { holdExpiresInMs }),
  }
}

/** What two points demand together: the stricter of everything, each obligation once, in order. */
export function mergeDecisions(a: Decision, b: Decision): Decision {
  const holds = [a.holdExpiresInMs, b.holdExpiresInMs].filter((ms) => ms !== undefined)
  return {
    verdict: stricterVerdict(a.verdict, b.verdict),
    classification: stricterClassification(a.classification, b.classification),
    risk: higherRisk(a.risk, b.risk),
    transforms: union(a.transforms, b.transforms),
    directives: union(a.directives, b.directives),
    rules: [...a.rules, ...b.rules.filter((rule) => !a.rules.some((known) => sameRule(known, rule)))],
    ...(holds.length > 0 && { holdExpiresInMs: Math.min(...holds) }),
  }
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** The same rule may decide on many hits; the record names it once. */
const sameRule = (a: DecidingRule, b: DecidingRule): boolean =>
  a.id === b.id && a.point === b.point && a.verdict === b.verdict && a.error === b.error
