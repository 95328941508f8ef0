import type { Passage } from '../domains/knowledge/search.ts'
import type { RecalledMemory } from '../domains/memory/recall.ts'
import type { HitKind } from './govern-hits.ts'

export const PASSAGES: HitKind<Passage> = {
  point: 'retrieve',
  texts: ({ title, source, headings, content }) => [content, title, source, ...headings],
  withTexts: (passage, [content = '', title = '', source = '', ...headings]) => ({
    ...passage,
    content,
    title,
    source,
    headings,
  }),
  subject: ({ classification, regulations, title, collection, documentId, updatedAt }) => ({
    hit: { classification, regulations, title, collection, document: documentId, updatedAt },
  }),
}

export const MEMORIES: HitKind<RecalledMemory> = {
  point: 'recall',
  texts: ({ content, summary }) => (summary === null ? [content] : [content, summary]),
  withTexts: (memory, [content = '', summary = null]) => ({ ...memory, content, summary }),
  subject: ({ classification, regulations, scope, scopeId, kind, createdAt, expiresAt }) => ({
    memory: { classification, regulations, scope, scopeId, kind, createdAt, expiresAt },
  }),
}
