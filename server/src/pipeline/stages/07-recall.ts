import type { Db } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { type RecalledMemory, recallMemories } from '../../memory/recall.ts'
import type { Ranker } from '../../retrieval/rank.ts'
import type { Admitted, Authorized, Caller, Identity, Recalled, Retrieved } from '../facts.ts'
import { type Governing, governHits } from '../governed-hits.ts'
import { type HitDeps, heldByHits, hitSearch, type SearchContext } from '../hit-search.ts'
import { nothingRecalled } from '../neutral.ts'
import { Passed, type Step } from '../outcome.ts'
import type { Exchange } from '../request.ts'

export interface RecallDeps extends HitDeps {
  readonly db: Db
  readonly ranker: Ranker
  readonly clock: Clock
}

/** Stage 7 of 12: what is remembered of the user, the session and whatever else the user shares, each memory judged by the policies. */
export async function recall(
  exchange: Pick<Exchange, 'endpoint'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  leave: Authorized,
  { decision }: Retrieved,
  deps: RecallDeps,
): Promise<Step<Recalled>> {
  const { memory } = caller.application.settings
  const isChat = exchange.endpoint === 'chat'
  const limit = isChat ? memory.recall : admitted.request.limit
  const search = hitSearch({ exchange, caller, admitted, identity, leave, limit }, deps)
  if (!search || !memory.enabled || leave.steering.memory === 'off') return new Passed(nothingRecalled(decision))
  const query = { text: search.text, ...(isChat && memory.scopes && { scopes: memory.scopes }) }
  const found = await governHits(recallMemories(deps, search.viewer, query), governing(search, decision))
  return heldByHits(found, search) ?? found
}

const governing = ({ common, input }: SearchContext, decision: Authorized['decision']): Governing<RecalledMemory> => ({
  ...common,
  point: 'recall',
  decision,
  texts: ({ content, summary }) => (summary === null ? [content] : [content, summary]),
  withTexts: (memory, [content = '', summary = null]) => ({ ...memory, content, summary }),
  input: ({ classification, regulations, scope, scopeId, kind, createdAt, expiresAt }, content) => ({
    ...input(content),
    memory: { classification, regulations, scope, scopeId, kind, createdAt, expiresAt },
  }),
})
