import type { Detector } from '../../classification/detector.ts'
import { assess } from '../../classification/risk.ts'
import { scanAside } from '../../classification/scan-aside.ts'
import { collectTexts } from '../../domain/message.ts'
import type { Admitted, Caller, Content } from '../facts.ts'
import { deniedByFault } from '../fault-denial.ts'
import { NOTHING_DECIDED } from '../neutral.ts'
import { refuse, type Step } from '../outcome.ts'

export interface ClassifyDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
}

/**
 * Stage 4 of 12: every detector reads every message, and whatever else would go to the provider. A detector that fails or
 * overruns its time denies: silence would look like innocence (decisions.md §2.2).
 */
export async function classify({ application }: Caller, { request }: Admitted, deps: ClassifyDeps): Promise<Step<Content>> {
  const messages = collectTexts(request.messages)
  const texts = [...messages, ...collectTexts(request.parameters)]
  const { findings, counts, failures } = await scanAside(texts, { detectors: deps.detectors, budgetMs: deps.detectorBudgetMs })
  const start = { classification: application.settings.default_classification, risk: 'low' as const }
  const content = { texts, findings, messageTexts: messages.length, counts, ...assess(counts, start) }
  if (failures.length === 0) return content
  const failed = failures.map((name) => `detector:${name}`)
  const { classification, risk } = content
  const denial = deniedByFault({ ...NOTHING_DECIDED.decision, classification, risk }, 'input', failed)
  return refuse('POLICY_DENIED', { details: { failed } }, { ...content, denial })
}
