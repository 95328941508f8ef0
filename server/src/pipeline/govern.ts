import type { Detector } from '../domains/classification/detector.ts'
import { type Assessment, assess } from '../domains/classification/risk.ts'
import { scanJoined, scanSplit } from '../domains/classification/scan-joined.ts'
import type { CompiledPolicy } from '../domains/policy/compile.ts'
import { hasWraps } from '../domains/policy/condition/content-forms.ts'
import { evaluate, mergeDecisions } from '../domains/policy/evaluate.ts'
import type { PolicyInput } from '../domains/policy/input.ts'
import { applyTransforms, isTruncation } from '../domains/policy/transforms.ts'
import { Vault } from '../domains/policy/vault.ts'
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts'
import type { Classification, RiskLevel } from '../shared/classification.ts'
import type { DecidingRule, Decision, PolicyPoint } from '../shared/decision.ts'
import type { ReportFault } from '../shared/fault.ts'
import type { Finding, FindingCounts } from '../shared/finding.ts'
import type { User } from '../shared/principal.ts'
import type { ToolCall } from '../shared/tool-call.ts'
import { NOTHING_UNREAD, type Unread } from '../shared/unread.ts'

export interface GovernDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly reportFault: ReportFault
}

export interface GovernedContent {
  readonly texts: readonly string[]
  readonly joins?: readonly (readonly number[])[]
  /** Lists of indices of texts that follow each other: a key or number may be split over them. */
  readonly runs?: readonly (readonly number[])[]
  readonly unread?: Unread
  readonly toolCalls?: readonly ToolCall[]
  readonly scope?: string | undefined
  /** Findings raise it. */
  readonly start: Assessment
}

export interface Scanned {
  readonly texts: readonly string[]
  readonly findings: readonly (readonly Finding[])[]
  readonly counts: FindingCounts
  readonly joined: string
  readonly unread: Unread
  readonly toolCalls?: readonly ToolCall[]
  readonly classification: Classification
  readonly risk: RiskLevel
  /** `detector:<name>` of each detector that failed. */
  readonly failed: readonly string[]
}

export interface RuleSet {
  readonly policy: CompiledPolicy | undefined
  readonly input: Omit<PolicyInput, 'content'>
  /** All users who will read the texts, if not the one of `input` alone: the strictest of their decisions counts. */
  readonly readers?: readonly User[]
}

export interface Obligations<T> {
  readonly vault?: Vault
  /** How many of the texts, from the first, a transform may cut short; default: all. */
  readonly prose?: number
  /** Puts the transformed texts in place of the originals; the texts are the list that was scanned if no transform applies. */
  readonly replace: (texts: readonly string[]) => T
}

interface Governing<T> extends RuleSet, Obligations<T> {
  readonly isAllowed?: (decision: Decision) => boolean
}

export interface Transformed<T> {
  readonly decision: Decision
  /** The result of `replace` on the transformed texts; undefined: the content may not be used. */
  readonly value: T | undefined
  readonly transforms: readonly string[]
  /** Names of detectors (`detector:<name>`) and of the step (`transform`) that failed; the decision is then a denial. */
  readonly failed: readonly string[]
}

export interface Governed<T> extends Transformed<T> {
  readonly scanned: Scanned
}

/** A detector or transform that fails denies, and the decision's rules name it (GW-SAFE-1). */
export function govern<T>(
  content: GovernedContent,
  point: PolicyPoint,
  governing: Governing<T>,
  deps: GovernDeps,
): MaybePromise<Governed<T>> {
  return andThen(scanContent(content, deps), (scanned) => ({ scanned, ...governScanned(scanned, point, governing, deps) }))
}

export function scanContent(
  { texts, joins = [], runs = [], unread = NOTHING_UNREAD, toolCalls = [], scope, start }: GovernedContent,
  { detectors, detectorBudgetMs }: Pick<GovernDeps, 'detectors' | 'detectorBudgetMs'>,
): MaybePromise<Scanned> {
  const options = { detectors, budgetMs: detectorBudgetMs, scope }
  return andThen(scanJoined(texts, joins, options), (scan) => {
    const { findings, counts, failures, joined } = scanSplit(texts, runs, scan, options)
    const failed = failures.map((name) => `detector:${name}`)
    return { texts, findings, counts, joined, unread, toolCalls, ...assess(counts, start), failed }
  })
}

export function governScanned<T>(
  scanned: Scanned,
  point: PolicyPoint,
  { isAllowed = isNotDenied, ...governing }: Governing<T>,
  deps: Pick<GovernDeps, 'reportFault'>,
): Transformed<T> {
  const { failed } = scanned
  const decision = decide(scanned, point, governing)
  if (failed.length > 0 || !isAllowed(decision)) return { decision, value: undefined, transforms: [], failed }
  return transform(scanned, point, decision, governing, deps)
}

const isNotDenied = ({ verdict }: Decision): boolean => verdict !== 'deny'

export function decide(scanned: Scanned, point: PolicyPoint, { policy, input, readers }: RuleSet): Decision {
  const asked = { ...input, content: contentOf(scanned) }
  const decision = readers
    ? readers.map((user) => evaluate(policy, point, { ...asked, user })).reduce(mergeDecisions)
    : evaluate(policy, point, asked)
  return scanned.failed.length === 0 ? decision : deniedByFault(decision, point, scanned.failed)
}

/** Applies the transforms that a decision demands; one that cannot be applied denies. */
export function transform<T>(
  { texts, findings }: Scanned,
  point: PolicyPoint,
  decision: Decision,
  { vault = new Vault(), prose = texts.length, replace }: Obligations<T>,
  { reportFault }: Pick<GovernDeps, 'reportFault'>,
): Transformed<T> {
  try {
    if (decision.transforms.length === 0) return { decision, value: replace(texts), transforms: [], failed: [] }
    const found = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
    for (const text of texts) vault.reserve(text)
    // A tool's schema is no prose: cut short it would be invalid. Tools stand before the messages in a prompt, and their placeholders must not
    // change when a message is added: the provider's prompt cache ends at the first change.
    const uncut = decision.transforms.filter((name) => !isTruncation(name))
    const others = applyTransforms(found.slice(prose), uncut, vault)
    const first = applyTransforms(found.slice(0, prose), decision.transforms, vault)
    const transforms = [...new Set([...first.applied, ...others.applied])]
    return { decision, value: replace([...first.texts, ...others.texts]), transforms, failed: [] }
  } catch (error) {
    reportFault({ kind: 'transform', name: point, how: 'threw', error })
    const failed = ['transform']
    return { decision: deniedByFault(decision, point, failed), value: undefined, transforms: [], failed }
  }
}

export const deniedByFault = (decision: Decision, point: PolicyPoint, failed: readonly string[]): Decision => ({
  ...decision,
  verdict: 'deny',
  rules: [...decision.rules, ...faultRules(point, failed)],
})

export const faultRules = (point: PolicyPoint, failed: readonly string[]): readonly DecidingRule[] =>
  failed.map((id) => ({ id, point, verdict: 'deny', error: 'failed' }))

const contentOf = ({ texts, joined, unread, toolCalls, classification, risk, counts }: Scanned): PolicyInput['content'] => ({
  text: texts.length === 1 ? (texts[0] ?? '') : texts.join('\n'),
  joined,
  hasLines: texts.some(hasWraps),
  unread: unread.count,
  unreadBytes: unread.bytes,
  unreadKinds: unread.kinds,
  toolCalls,
  classification,
  riskLevel: risk,
  findings: counts,
})
