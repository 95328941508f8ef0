import type { PolicyPoint, PolicyVersion } from '../domain/decision.ts'
import { type Condition, compileCondition } from './condition/condition.ts'
import { createEnvironment } from './condition/environment.ts'
import type { PolicySet, Rule } from './policy.ts'

/** A policy set ready to be evaluated. Immutable; made once for each version. */
export interface CompiledPolicy {
  readonly version: PolicyVersion
  /** The texts behind `system:<name>`. */
  readonly texts: ReadonlyMap<string, string>
  /** In the order of the document. */
  readonly rules: Readonly<Record<PolicyPoint, readonly CompiledRule[]>>
}

export interface CompiledRule extends Rule {
  readonly condition: Condition
}

/** Throws when a condition does not compile, which parsePolicySet rules out. */
export function compile(set: PolicySet, version: PolicyVersion): CompiledPolicy {
  const environment = createEnvironment()
  const compiled = set.rules.map((rule): CompiledRule => {
    const result = compileCondition(rule.when, rule.at, environment)
    if (!result.ok) throw new TypeError(`rule ${rule.id} does not compile: ${result.problem.message}`)
    return { ...rule, condition: result.condition }
  })
  const at = (point: PolicyPoint): readonly CompiledRule[] => compiled.filter((rule) => rule.at.includes(point))
  return {
    version,
    texts: set.texts,
    rules: {
      input: at('input'),
      output: at('output'),
      retrieve: at('retrieve'),
      recall: at('recall'),
      remember: at('remember'),
      message: at('message'),
    },
  }
}
