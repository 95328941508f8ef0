import { searchKnowledge } from '../../domains/knowledge/search.ts'
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
import { PASSAGES } from '../hit-kinds.ts'
import { labelJudge } from '../label-judge.ts'
import type { Authorized, RequestContext, Retrieved, SearchContext } from '../stage-results.ts'

/** Stage 6 of 12: searches the knowledge that the user may see; policies govern each passage. */
export function retrieve(context: SearchContext, authorized: Authorized, deps: SearchDeps): MaybePromise<StageReturn<Retrieved>> {
  const search = planRetrieval(context, authorized, deps)
  if (!search) return new Skipped()
  const { knowledge } = context.caller.application.settings
  const judge = labelJudge('hit', search)
  const { text, earlier, classification, region } = search
  const reportCall = callReporter(context, 'retrieve')
  const query = { text, earlier, classification, region, reportCall, collections: knowledge.collections, judge }
  const passages = searchKnowledge(deps, search.viewer, query)
  return governHits(passages, search, PASSAGES, authorized.decision, deps).then((hits) => holdForHits(hits, search))
}

export function planRetrieval(
  context: RequestContext,
  authorized: Authorized,
  deps: Pick<HitDeps, 'clock' | 'timeSlices'>,
): HitSearch | undefined {
  const { knowledge } = context.caller.application.settings
  if (!knowledge.enabled || authorized.directives.knowledgeOff) return undefined
  const limit = context.incoming.endpoint === 'chat' ? knowledge.passages : context.admitted.request.limit
  return prepareHitSearch(context, authorized, limit, deps)
}
