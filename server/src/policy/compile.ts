import type { PolicyPoint, PolicyVersion } from '../domain/decision.ts'
import type { PolicySet, Rule } from './policy.ts'

/** A version of a policy set, ready to be evaluated: its rules by the points at which they are asked. Immutable. */
export interface CompiledPolicy {
  readonly version: PolicyVersion
  /** The texts behind `system:<name>`. */
  readonly texts: ReadonlyMap<string, string>
  /** In the order of the document. */
  readonly rules: Readonly<Record<PolicyPoint, readonly Rule[]>>
}

export function compile({ rules, texts }: PolicySet, version: PolicyVersion): CompiledPolicy {
  const at = (point: PolicyPoint): readonly Rule[] => rules.filter((rule) => rule.at.includes(point))
  return {
    version,
    texts,
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
