import type { Detector } from '../../classification/detector.ts'
import { assess } from '../../classification/risk.ts'
import { scanJoined } from '../../classification/scan-joined.ts'
import { type Completion, partsOf, withParts } from '../../domain/completion.ts'
import type { Decision } from '../../domain/decision.ts'
import type { ReportFault } from '../../domain/fault.ts'
import { collect, estimateTokens, joinsAcross, replaceTexts } from '../../domain/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { evaluate, mergeDecisions } from '../../policy/evaluate.ts'
import { applyTransforms } from '../../policy/transforms.ts'
import { Vault } from '../../policy/vault.ts'
import type { Admitted, Authorized, Caller, Identity, Inspected, Recalled, Reply, Retrieved } from '../facts.ts'
import { deniedByFault } from '../fault-denial.ts'
import { inspectHits } from '../inspect-hits.ts'
import { withInspectedLogprobs } from '../logprobs.ts'
import { uninspected } from '../neutral.ts'
import { Passed, refuse, type Step, Stop } from '../outcome.ts'
import { policyInput } from '../policy-input.ts'
import type { Exchange } from '../request.ts'

export interface InspectDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly clock: Clock
  readonly reportFault: ReportFault
}

/**
 * Stage 10 of 12: the whole answer, every choice or every hit of it, before a byte of it is replayed: first the originals of
 * what the provider saw as placeholders, so that detectors, output policies and transforms see what would leave.
 */
export async function inspect(
  exchange: Pick<Exchange, 'endpoint'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  leave: Authorized,
  { found, recalled, reply: { completion, provider } }: { found: Retrieved; recalled: Recalled; reply: Reply },
  deps: InspectDeps,
): Promise<Step<Inspected>> {
  if (exchange.endpoint !== 'chat') return inspectHits(exchange, caller, admitted, identity, leave, { found, recalled }, deps)
  if (!completion) return new Passed(uninspected(leave))
  if (leave.release?.kind === 'again') {
    // It has left once, inspected, and leaves again as it was, with what was decided on it then.
    const { decision = leave.decision, transforms = [] } = leave.release.result
    return new Passed({ ...uninspected(leave), decision, transforms, completion })
  }

  const { application } = caller
  const { texts: answered, spoken, unread } = collect(partsOf(completion))
  const texts = answered.map((text) => leave.vault.restore(text))
  const joins = joinsAcross(spoken.slice(0, completion.choices.length))
  const { findings, counts, failures, joined } = await scanJoined(texts, joins, {
    detectors: deps.detectors,
    budgetMs: deps.detectorBudgetMs,
  })
  const start = { classification: application.settings.default_classification, risk: 'low' as const }
  const input = policyInput(exchange.endpoint, application, admitted, identity, deps.clock.now(), {
    texts,
    joined,
    unread,
    counts,
    ...assess(counts, start),
  })
  const response = responseOf(completion, provider, texts)
  const decision = evaluate(leave.policy, 'output', { ...input, response })
  const { classification, riskLevel } = input.content
  const looked = { classification, riskLevel, unread, response }
  const inspected = { ...uninspected(leave), decision: mergeDecisions(leave.decision, decision), counts, looked, completion }
  if (failures.length > 0) {
    return denied(
      inspected,
      failures.map((name) => `detector:${name}`),
    )
  }
  const verdict = stop(admitted, leave, decision, inspected)
  if (verdict) return verdict

  const spans = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
  try {
    const { texts: changed, applied } = applyTransforms(spans, decision.transforms, new Vault())
    const outputRules = (leave.policy?.rules.output.length ?? 0) > 0
    return { ...inspected, completion: withTexts(completion, answered, changed, outputRules), transforms: applied }
  } catch (error) {
    deps.reportFault({ kind: 'transform', name: 'output', how: 'threw', error })
    return denied(inspected, ['transform'])
  }
}

/** What broke down denies: silence would look like innocence (decisions.md §2.2). */
const denied = (inspected: Inspected, failed: readonly string[]): Stop<Inspected> =>
  refuse(
    'POLICY_DENIED',
    { details: { failed } },
    { ...inspected, decision: deniedByFault(inspected.decision, 'output', failed) },
  )

/** A dry run goes on whatever the verdict; what a reviewer has approved at output is held no more. */
function stop(
  { request }: Admitted,
  { release }: Authorized,
  { verdict, rules }: Decision,
  inspected: Inspected,
): Stop<Inspected> | undefined {
  if (request.dryRun) return undefined
  const deciding = { rules: rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id) }
  if (verdict === 'deny') return refuse('POLICY_DENIED', { details: { ...deciding, point: 'output' } }, inspected)
  if (verdict !== 'require_approval' || release?.item.point === 'output') return undefined
  return new Stop({ kind: 'held', point: 'output' }, inspected)
}

const responseOf = ({ model, choices, usage }: Completion, provider: string, texts: readonly string[]) => ({
  model,
  provider,
  finishReason: choices[0]?.finish_reason ?? '',
  tokens: usage?.completion_tokens ?? estimateTokens(texts),
})

function withTexts(
  completion: Completion,
  before: readonly string[],
  after: readonly string[],
  outputRules: boolean,
): Completion {
  const unchanged = before.every((text, index) => text === after[index])
  const inspected = withInspectedLogprobs(completion, unchanged, outputRules)
  if (unchanged) return inspected
  return withParts(inspected, replaceTexts(partsOf(completion), after))
}
