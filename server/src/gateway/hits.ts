import type { Passage } from '../knowledge/search.ts'
import type { RecalledMemory } from '../memory/recall.ts'

/** GW-KNOW-4 */
export const knowledgeHit = ({ id, title, content, classification, regulations, similarity }: Passage) => ({
  chunk_id: id,
  document_title: title,
  content,
  classification,
  regulations,
  similarity,
})

/** GW-MEMS-4 */
export const memoryHit = ({ id, scope, kind, content, summary, classification, similarity }: RecalledMemory) => ({
  memory_id: id,
  scope,
  kind,
  content,
  summary,
  classification,
  similarity,
})
