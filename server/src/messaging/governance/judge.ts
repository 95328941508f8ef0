import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { Detector } from '../../classification/detector.ts'
import { assess } from '../../classification/risk.ts'
import { scan } from '../../classification/scan.ts'
import type { Decision } from '../../domain/decision.ts'
import { type ReportFault, reportBrokenConditions } from '../../domain/fault.ts'
import type { FindingCounts } from '../../domain/finding.ts'
import { estimateTokens } from '../../domain/message.ts'
import { DEFAULT_SETTINGS } from '../../domain/principal.ts'
import type { Cache } from '../../lib/cache.ts'
import { elapsed } from '../../lib/clock.ts'
import type { CompiledPolicy } from '../../policy/compile.ts'
import { evaluate } from '../../policy/evaluate.ts'
import type { PolicyInput } from '../../policy/input.ts'
import type { PolicyLibrary } from '../../policy/policy-library.ts'
import { applyTransforms } from '../../policy/transforms.ts'
import { Vault } from '../../policy/vault.ts'
import type { Utterance } from './utterance.ts'

export interface JudgeDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly policies: Pick<PolicyLibrary, 'current'>
  /** A Workspace's keys, by its id. */
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly reportFault: ReportFault
}

/** What judging itself needs. */
export type Judging = Omit<JudgeDeps, 'workspaceKeys'>

/** What the detectors and the policies at `message` make of an utterance. */
export interface Judgement {
  readonly utterance: Utterance
  readonly policy: CompiledPolicy
  readonly decision: Decision
  readonly counts: FindingCounts
  /** What the detectors alone make of it. */
  readonly assessed: ReturnType<typeof assess>
  /** Transforms applied. */
  readonly texts: readonly string[]
  /** Transforms that were carried out. */
  readonly transforms: readonly string[]
  readonly tokens: number
  readonly ms: { readonly classify: number; readonly authorize: number }
}

const START = { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' } as const
/** What policies see where an Application would be: nobody's, with the defaults. */
const NO_APPLICATION = { id: '', name: '', settings: DEFAULT_SETTINGS }

/**
 * Takes an utterance through the stages classify and authorize. Undefined where the Workspace has no rules at `message`: there
 * messages are not governed (decisions.md §3, Governance). A detector that fails or a transform that cannot be carried out denies.
 */
export async function judge(utterance: Utterance, deps: Judging): Promise<Judgement | undefined> {
  const policy = await deps.policies.current(utterance.workspaceId)
  if (!policy || policy.rules.message.length === 0) return undefined
  const startedAt = elapsed()
  const { texts } = utterance
  const { findings, counts, failures } = scan(texts, { detectors: deps.detectors, budgetMs: deps.detectorBudgetMs })
  const tokens = estimateTokens(texts)
  const classifiedAt = elapsed()
  const assessed = assess(counts, START)
  const { classification, risk } = assessed
  const judged = { utterance, policy, counts, assessed, tokens }
  const timed = () => ({ classify: classifiedAt - startedAt, authorize: elapsed() - classifiedAt })
  if (failures.length > 0) {
    const nothing = { verdict: 'allow', classification, risk, transforms: [], directives: [], rules: [] } as const
    const decision = deniedBy(
      nothing,
      failures.map((name) => `detector:${name}`),
    )
    return { ...judged, decision, texts, transforms: [], ms: timed() }
  }
  const decision = evaluate(policy, 'message', inputOf(utterance, { classification, riskLevel: risk, findings: counts }, tokens))
  reportBrokenConditions(decision.rules, deps.reportFault)
  try {
    const found = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
    const changed = applyTransforms(found, decision.transforms, new Vault())
    return { ...judged, decision, texts: changed.texts, transforms: changed.applied, ms: timed() }
  } catch (error) {
    deps.reportFault({ kind: 'transform', name: 'message', how: 'threw', error })
    return { ...judged, decision: deniedBy(decision, ['transform']), texts, transforms: [], ms: timed() }
  }
}

/** A detector or transform that broke down denies, and is named among the rules (decisions.md §2.2). */
const deniedBy = (decision: Decision, culprits: readonly string[]): Decision => ({
  ...decision,
  verdict: 'deny',
  rules: [
    ...decision.rules,
    ...culprits.map((id) => ({ id, point: 'message' as const, verdict: 'deny' as const, error: 'failed' })),
  ],
})

function inputOf(
  { sender, place, texts, now }: Utterance,
  content: Omit<PolicyInput['content'], 'text'>,
  tokens: number,
): PolicyInput {
  const request = { endpoint: 'message', model: '', sessionId: place.id, stream: false, dryRun: false } as const
  return {
    user: sender,
    application: NO_APPLICATION,
    request: { ...request, messageCount: 1, tokens, maxTokens: 0 },
    content: { ...content, text: texts.join('\n') },
    message: { conversationId: place.id, sender: sender.id, group: place.groupId ?? '' },
    now,
  }
}
