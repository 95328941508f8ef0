import type { Db } from '../../db/database.ts'
import { type Passage, searchKnowledge } from '../../knowledge/search.ts'
import type { Ranker } from '../../retrieval/rank.ts'
import type { Admitted, Authorized, Caller, Identity, Retrieved } from '../facts.ts'
import { type Governing, governHits } from '../governed-hits.ts'
import { type HitDeps, heldByHits, hitSearch, type SearchContext } from '../hit-search.ts'
import { nothingRetrieved } from '../neutral.ts'
import { Passed, type Step } from '../outcome.ts'
import type { Exchange } from '../request.ts'

export interface RetrieveDeps extends HitDeps {
  readonly db: Db
  readonly ranker: Ranker
}

/** Stage 6 of 12: what the user may see of the documents that answer the question, each passage judged by the policies. */
export async function retrieve(
  exchange: Pick<Exchange, 'endpoint'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  leave: Authorized,
  deps: RetrieveDeps,
): Promise<Step<Retrieved>> {
  const { settings } = caller.application
  const limit = exchange.endpoint === 'chat' ? settings.knowledge.passages : admitted.request.limit
  const search = hitSearch({ exchange, caller, admitted, identity, leave, limit }, deps)
  if (!search || !settings.knowledge.enabled || leave.steering.knowledgeOff) return new Passed(nothingRetrieved(leave))
  const query = { text: search.text, collections: settings.knowledge.collections }
  const found = await governHits(searchKnowledge(deps, search.viewer, query), governing(search, leave.decision))
  return heldByHits(found, search) ?? found
}

const governing = ({ common, input }: SearchContext, decision: Authorized['decision']): Governing<Passage> => ({
  ...common,
  point: 'retrieve',
  decision,
  texts: ({ title, headings, content }) => [content, title, ...headings],
  withTexts: (passage, [content = '', title = '', ...headings]) => ({ ...passage, content, title, headings }),
  input: ({ classification, regulations, title, collection, documentId, updatedAt }, content) => ({
    ...input(content),
    hit: { classification, regulations, title, collection, document: documentId, updatedAt },
  }),
})
