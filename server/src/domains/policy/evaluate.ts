import { higherRisk, stricterClassification } from '../../shared/classification.ts'
import { type DecidingRule, type Decision, type PolicyPoint, stricterVerdict } from '../../shared/decision.ts'
import type { CompiledPolicy } from './compile.ts'
import { Bindings } from './condition/bindings.ts'
import type { PolicyInput } from './input.ts'
import type { Rule } from './policy.ts'

/** The strictest verdict wins. A rule whose condition fails denies, unless it has `on_error: skip`. */
export function evaluate(policy: CompiledPolicy | undefined, point: PolicyPoint, input: PolicyInput): Decision {
  const subject = SUBJECTS[point]
  if (subject && !input[subject]) throw new TypeError(`policies at ${point} need a ${subject}`)
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
    if (outcome === true) decision = mergeDecisions(decision, toDecision(rule, point, decision))
    else if (outcome !== false && rule.onError === 'deny') {
      const failed: DecidingRule = { id: rule.id, point, verdict: 'deny', error: outcome }
      decision = { ...decision, verdict: 'deny', rules: [...decision.rules, failed] }
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

function toDecision(rule: Rule, point: PolicyPoint, { classification, risk }: Decision): Decision {
  const { id, verdict, transforms, directives, holdExpiresInMs, approvals } = rule
  return {
    verdict,
    classification: rule.classification ?? classification,
    risk: rule.risk ?? risk,
    transforms,
    directives,
    rules: [{ id, point, verdict }],
    ...(holdExpiresInMs !== undefined && { holdExpiresInMs }),
    ...(approvals !== undefined && { approvals }),
  }
}

/** Combines two decisions: the stricter value of each field, and each obligation once, in order. */
export function mergeDecisions(a: Decision, b: Decision): Decision {
  const expiries = [a.holdExpiresInMs, b.holdExpiresInMs].filter((ms) => ms !== undefined)
  const approvals = Math.max(a.approvals ?? 1, b.approvals ?? 1)
  return {
    verdict: stricterVerdict(a.verdict, b.verdict),
    classification: stricterClassification(a.classification, b.classification),
    risk: higherRisk(a.risk, b.risk),
    transforms: union(a.transforms, b.transforms),
    directives: union(a.directives, b.directives),
    rules: b.rules.length === 0 ? a.rules : mergeRules(a.rules, b.rules),
    ...(expiries.length > 0 && { holdExpiresInMs: Math.min(...expiries) }),
    ...(approvals > 1 && { approvals }),
  }
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** A rule can decide on many hits; the audit record names it once. */
function mergeRules(a: readonly DecidingRule[], b: readonly DecidingRule[]): readonly DecidingRule[] {
  const rules = [...a]
  for (const rule of b) {
    const at = rules.findIndex((other) => isSameRule(other, rule))
    if (at < 0) rules.push(rule)
    else if (!rule.left_out) rules[at] = rule
  }
  return rules
}

const isSameRule = (a: DecidingRule, b: DecidingRule): boolean =>
  a.id === b.id && a.point === b.point && a.verdict === b.verdict && a.error === b.error
