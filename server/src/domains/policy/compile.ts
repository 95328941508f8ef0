import type { PolicyPoint, PolicyVersion } from '../../shared/decision.ts'
import { type GrowingOutput, growingOutput } from './growing-output.ts'
import type { PolicySet, Rule } from './policy.ts'

export interface CompiledPolicy {
  readonly version: PolicyVersion
  /** Texts of `system:<name>` directives, by name. */
  readonly texts: ReadonlyMap<string, string>
  readonly rules: Readonly<Record<PolicyPoint, readonly Rule[]>>
  readonly growingOutput: GrowingOutput
}

export function compile({ rules, texts }: PolicySet, version: PolicyVersion): CompiledPolicy {
  const at = (point: PolicyPoint): readonly Rule[] => rules.filter((rule) => rule.at.includes(point))
  const output = at('output')
  return {
    version,
    growingOutput: growingOutput(output),
    texts,
    rules: {
      input: at('input'),
      output,
      retrieve: at('retrieve'),
      recall: at('recall'),
      remember: at('remember'),
      message: at('message'),
    },
  }
}
