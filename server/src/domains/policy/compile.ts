import { POLICY_POINTS, type PolicyPoint, type PolicyVersion } from '../../shared/decision.ts'
import type { PolicySet, Rule } from './policy.ts'
import { parseTransform } from './transforms.ts'

export interface CompiledPolicy {
  readonly version: PolicyVersion
  readonly texts: ReadonlyMap<string, string>
  readonly rules: Readonly<Record<PolicyPoint, readonly Rule[]>>
  readonly growingOutput: GrowingOutput
}

export function compile({ rules, texts }: PolicySet, version: PolicyVersion): CompiledPolicy {
  const byPoint = POLICY_POINTS.map((point) => [point, rules.filter(({ at }) => at.includes(point))] as const)
  const rulesAt = Object.fromEntries(byPoint) as unknown as CompiledPolicy['rules']
  return { version, growingOutput: growingOutput(rulesAt.output), texts, rules: rulesAt }
}

/** How the output rules of a policy set judge a response that is not complete (decision 0025). */
export interface GrowingOutput {
  /** Why they need the whole response; undefined: they can be evaluated while it grows. */
  readonly needsWhole: string | undefined
  readonly reactsToFindings: boolean
  readonly earlyDenials: readonly Rule[]
}

export const growingOutput = (rules: readonly Rule[]): GrowingOutput => ({
  needsWhole: rules.map(needsWhole).find((reason) => reason !== undefined),
  reactsToFindings: rules.some(({ growth, transforms }) => growth.readsFindings || transforms.length > 0),
  earlyDenials: rules.filter(({ verdict, growth }) => verdict === 'deny' && growth.readsFindings && growth.staysTrue),
})

function needsWhole({ id, verdict, growth, transforms }: Rule): string | undefined {
  const named = (reason: string) => `The rule ${id} needs the whole response: ${reason}.`
  if (verdict !== 'allow' && verdict !== 'deny') return named(`its verdict is ${verdict}`)
  if (growth.needsWhole !== undefined) return named(growth.needsWhole)
  const unbounded = transforms.find((text) => !changesBoundedFindings(text))
  return unbounded === undefined ? undefined : named(`its transform is ${unbounded}`)
}

/** Truncation and transforms of injections and hidden text depend on the whole text. */
function changesBoundedFindings(text: string): boolean {
  const transform = parseTransform(text)
  return transform !== undefined && transform.kind !== 'truncate' && /^(?:pii|secret)(?:\.|$)/.test(transform.target)
}
