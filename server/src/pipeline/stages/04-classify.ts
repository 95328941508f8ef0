import type { Detector } from '../../classification/detector.ts'
import { assess } from '../../classification/risk.ts'
import { scanJoined } from '../../classification/scan-joined.ts'
import { scanSplit } from '../../classification/scan-split.ts'
import { collect, joinsOfUsers, joinsWithin } from '../../domain/message.ts'
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
  const messages = collect(request.messages)
  const parameters = collect(request.parameters)
  const texts = [...messages.texts, ...parameters.texts]
  const joins = [...joinsWithin(messages.spoken), ...joinsWithin(parameters.spoken, messages.texts.length)]
  const options = { detectors: deps.detectors, budgetMs: deps.detectorBudgetMs }
  const runs = joinsOfUsers(request.messages, messages.spoken)
  const { findings, counts, failures, joined } = scanSplit(texts, runs, await scanJoined(texts, joins, options), options)
  const start = { classification: application.settings.default_classification, risk: 'low' as const }
  const unread = messages.unread + parameters.unread
  const content = { texts, joined, unread, findings, messageTexts: messages.texts.length, counts, ...assess(counts, start) }
  if (failures.length === 0) return content
  const failed = failures.map((name) => `detector:${name}`)
  const { classification, risk } = content
  const denial = deniedByFault({ ...NOTHING_DECIDED.decision, classification, risk }, 'input', failed)
  return refuse('POLICY_DENIED', { details: { failed } }, { ...content, denial })
}
