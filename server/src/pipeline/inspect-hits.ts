import type { Detector } from '../classification/detector.ts'
import { assess } from '../classification/risk.ts'
import { scan } from '../classification/scan.ts'
import type { ReportFault } from '../domain/fault.ts'
import type { Clock } from '../lib/clock.ts'
import { evaluate, mergeDecisions } from '../policy/evaluate.ts'
import { applyTransforms } from '../policy/transforms.ts'
import { Vault } from '../policy/vault.ts'
import type { Admitted, Authorized, Caller, Identity, Inspected, Recalled, Retrieved } from './facts.ts'
import { deniedByFault } from './fault-denial.ts'
import { uninspected } from './neutral.ts'
import { Passed, type Step } from './outcome.ts'
import { policyInput } from './policy-input.ts'
import type { Exchange } from './request.ts'

interface Deps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly clock: Clock
  readonly reportFault: ReportFault
}

/**
 * The answer of a search under the output policies: all hits together, as a completion would be. A denial, a demand for approval
 * and whatever breaks down leave an answer without hits (decisions.md §2.4a: searches declare no 403).
 */
export function inspectHits(
  { endpoint }: Pick<Exchange, 'endpoint'>,
  { application }: Caller,
  admitted: Admitted,
  identity: Identity,
  leave: Authorized,
  { found, recalled }: { found: Retrieved; recalled: Recalled },
  { detectors, detectorBudgetMs, clock, reportFault }: Deps,
): Step<Inspected> {
  const texts = [
    ...found.hits.flatMap(({ title, content }) => [title, content]),
    ...recalled.hits.flatMap(({ content, summary }) => [content, summary ?? '']),
  ]
  if (texts.length === 0) return new Passed(uninspected(leave))
  const { findings, counts, failures } = scan(texts, { detectors, budgetMs: detectorBudgetMs })
  const { classification, risk } = leave.decision
  const assessed = assess(counts, { classification, risk })
  const looked = { classification: assessed.classification, riskLevel: assessed.risk }
  const input = policyInput(endpoint, application, admitted, identity, clock.now(), { texts, counts, ...assessed })
  const decision = evaluate(leave.policy, 'output', input)
  const inspected = { ...uninspected(leave), decision: mergeDecisions(leave.decision, decision), counts, looked }
  const withheld = (failed: readonly string[]) => ({
    ...inspected,
    decision: deniedByFault(inspected.decision, 'output', failed),
  })
  if (failures.length > 0) return withheld(failures.map((name) => `detector:${name}`))
  if (decision.verdict === 'deny' || decision.verdict === 'require_approval') return inspected
  try {
    const spans = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
    const { texts: changed, applied } = applyTransforms(spans, decision.transforms, new Vault())
    const next = changed[Symbol.iterator]()
    const text = () => next.next().value ?? ''
    const passages = found.hits.map((hit) => ({ ...hit, title: text(), content: text() }))
    const memories = recalled.hits.map((hit) => {
      const [content, summary] = [text(), text()]
      return { ...hit, content, summary: hit.summary === null ? null : summary }
    })
    return { ...inspected, passages, memories, transforms: applied }
  } catch (error) {
    reportFault({ kind: 'transform', name: 'output', how: 'threw', error })
    return withheld(['transform'])
  }
}
