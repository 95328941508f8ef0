import { recallMemories } from '../../domains/memory/recall.ts'
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { Skipped, type StageReturn } from '../../shared/outcome.ts'
import {
  callReporter,
  governHits,
  type HitDeps,
  type HitSearch,
  holdForHits,
  prepareHitSearch,
  type SearchDeps,
} from '../govern-hits.ts'
import { MEMORIES } from '../hit-kinds.ts'
import { labelJudge } from '../label-judge.ts'
import type { Authorized, Recalled, RequestContext, Retrieved, SearchContext } from '../stage-results.ts'

/** Stage 7 of 12: searches the memories that the user shares; policies govern each memory. */
export function recall(
  context: SearchContext,
  authorized: Authorized,
  { decision }: Retrieved,
  deps: SearchDeps,
): MaybePromise<StageReturn<Recalled>> {
  const search = planRecall(context, authorized, deps)
  if (!search) return new Skipped()
  const { memory } = context.caller.application.settings
  const isChat = context.incoming.endpoint === 'chat'
  const judge = labelJudge('memory', search)
  const { text, earlier, classification, region } = search
  const reportCall = callReporter(context, 'recall')
  const query = {
    text,
    earlier,
    classification,
    region,
    reportCall,
    judge,
    ...(isChat && memory.scopes && { scopes: memory.scopes }),
  }
  const memories = recallMemories(deps, search.viewer, query)
  return governHits(memories, search, MEMORIES, decision, deps).then((hits) => holdForHits(hits, search))
}

export function planRecall(
  context: RequestContext,
  authorized: Authorized,
  deps: Pick<HitDeps, 'clock' | 'timeSlices'>,
): HitSearch | undefined {
  const { memory } = context.caller.application.settings
  if (!memory.enabled || authorized.directives.memory === 'off') return undefined
  const limit = context.incoming.endpoint === 'chat' ? memory.recall : context.admitted.request.limit
  return prepareHitSearch(context, authorized, limit, deps)
}
