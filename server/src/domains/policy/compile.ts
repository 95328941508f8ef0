import { POLICY_POINTS, type PolicyPoint, type PolicyVersion } from '../../shared/decision.ts'
import type { FindingName } from '../../shared/finding.ts'
import { isBoundedFinding } from './condition/growth.ts'
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

export interface Obstacle {
  readonly rule: string
  /** "it reads content.text" */
  readonly reason: string
}

export const obstacleText = ({ rule, reason }: Obstacle): string => `rule ${rule} needs the whole response, because ${reason}.`

/** How the output rules of a policy set judge a response that is not complete (decision 0025). */
export interface GrowingOutput {
  /** The first rule that needs the whole response, and why; undefined: all can be evaluated while it grows. */
  readonly needsWhole: Obstacle | undefined
  /** Findings that a condition reads or a transform changes. */
  readonly reads: readonly FindingName[]
  readonly earlyDenials: readonly Rule[]
}

export const growingOutput = (rules: readonly Rule[]): GrowingOutput => ({
  needsWhole: rules.map(needsWhole).find((reason) => reason !== undefined),
  reads: [...new Set(rules.flatMap(({ growth, transforms }) => [...growth.reads, ...transforms.flatMap(changedFindings)]))],
  earlyDenials: rules.filter(({ verdict, growth }) => verdict === 'deny' && growth.reads.length > 0 && growth.staysTrue),
})

function needsWhole({ id, growth, transforms }: Rule): Obstacle | undefined {
  if (growth.needsWhole !== undefined) return { rule: id, reason: growth.needsWhole }
  const unbounded = transforms.find((text) => !changesBoundedFindings(text))
  return unbounded === undefined ? undefined : { rule: id, reason: `its transform is ${unbounded}` }
}

/** Truncation and transforms of injections and hidden text depend on the whole text. */
const changesBoundedFindings = (text: string): boolean => changedFindings(text).some(isBoundedFinding)

function changedFindings(text: string): readonly FindingName[] {
  const transform = parseTransform(text)
  return transform === undefined || transform.kind === 'truncate' ? [] : [transform.target]
}
