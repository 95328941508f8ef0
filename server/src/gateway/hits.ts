import type { Passage } from '../knowledge/search.ts'
import type { RecalledMemory } from '../memory/recall.ts'

/** gateway-api.md, KnowledgeHit */
export const knowledgeHit = ({ id, title, content, classification, regulations, similarity }: Passage) => ({
  chunk_id: id,
  document_title: title,
  content,
  classification,
  regulations,
  similarity,
})

/** gateway-api.md, MemoryHit */
export const memoryHit = ({ id, scope, kind, content, summary, classification, similarity }: RecalledMemory) => ({
  memory_id: id,
  scope,
  kind,
  content,
  summary,
  classification,
  similarity,
})
