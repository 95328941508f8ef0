import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { NO_DEMANDS } from '../../shared/decision.ts'
import { collect, joinsOfTurns, joinsWithin } from '../../shared/message.ts'
import { denyByFault, type StageReturn } from '../../shared/outcome.ts'
import { toolCallsOf } from '../../shared/tool-call.ts'
import { addUnread } from '../../shared/unread.ts'
import { deniedByFault, type GovernDeps, scanContent } from '../govern.ts'
import type { Admitted, Caller, Classified } from '../stage-results.ts'

export type ClassifyDeps = Pick<GovernDeps, 'detectors' | 'detectorBudgetMs'>

/** Stage 4 of 12. A detector that fails denies: a missing finding must not count as a clean text (GW-SAFE-1). */
export function classify(
  { application }: Caller,
  { request, collected: messages }: Admitted,
  deps: ClassifyDeps,
  scope?: string,
): MaybePromise<StageReturn<Classified>> {
  const parameters = collect(request.parameters)
  const messageTexts = messages.texts.length
  const content = {
    texts: [...messages.texts, ...parameters.texts],
    joins: [...joinsWithin(messages.spoken), ...joinsWithin(parameters.spoken, messageTexts)],
    runs: joinsOfTurns(request.messages, messages.spoken),
    unread: addUnread(messages.unread, parameters.unread),
    toolCalls: toolCallsOf(request.messages),
    scope,
    start: { classification: application.settings.default_classification, risk: 'low' as const },
  }
  return andThen(scanContent(content, deps), (scanned): StageReturn<Classified> => {
    const classified = { ...scanned, messageTexts }
    const { failed, classification, risk } = classified
    if (failed.length === 0) return classified
    const denial = deniedByFault({ ...NO_DEMANDS, classification, risk }, 'input', failed)
    return denyByFault(failed, { ...classified, denial })
  })
}
