import { type Static, Type } from 'typebox'
import { findApplication } from '../applications/application-store.ts'
import { isStorable, Line, oneOf, withStorable } from '../applications/shapes.ts'
import { CLASSIFICATIONS } from '../domain/classification.ts'
import { NOBODY, type User } from '../domain/principal.ts'
import { type ExplainedPassage, explainedSearch } from '../knowledge/explained-search.ts'
import { VISIBILITY_RULES } from '../knowledge/why-visible.ts'
import { viewerOf } from '../pipeline/viewer.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { invalid, notFound, valid } from './refusals.ts'

const MAX_ATTRIBUTES = 16_384

const SearchBody = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 2_000, pattern: '\\S' }),
  application_id: Type.String({ description: 'The Application that they would ask through.' }),
  user: Type.Optional(
    Type.Object(
      {
        id: Type.Optional(Line),
        role: Type.Optional(Line),
        department: Type.Optional(Line),
        attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        verified: Type.Optional(Type.Boolean({ default: true, description: 'As if a user token vouched for them.' })),
      },
      { description: 'Who asks. Default: nobody in particular.' },
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
})

const HitView = Type.Object({
  chunk_id: Type.String(),
  document_id: Type.String(),
  collection_id: Type.String(),
  collection: Type.String(),
  title: Type.String(),
  headings: Type.Array(Type.String()),
  content: Type.String(),
  source: Type.String(),
  classification: oneOf(CLASSIFICATIONS),
  similarity: Type.Number(),
  flagged: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      rule: oneOf(VISIBILITY_RULES),
      passed: Type.Boolean(),
      because: Type.String({ description: 'A sentence for people.' }),
    }),
    { description: 'Every rule that decides whether the user sees it.' },
  ),
})

const ExplanationView = Type.Object({
  object: Type.Literal('knowledge_explanation'),
  enabled: Type.Boolean({ description: 'Whether the Application uses knowledge at all; if not, its users find nothing.' }),
  ceiling: Type.Unsafe<(typeof CLASSIFICATIONS)[number]>({
    ...oneOf(CLASSIFICATIONS),
    description: 'The most sensitive that this user may see through this Application.',
  }),
  visible: Type.Array(HitView, { description: 'What they would find, the best first.' }),
  hidden: Type.Array(HitView, { description: 'What would fit as well, and is kept from them.' }),
})

const docs = inWorkspace('explainKnowledgeSearch', 'Search as a user: what they would find, what they would not, and why', {
  scope: 'knowledge:content',
  description:
    'By the labels, in the collections that the Application searches; policies may withhold or change more of it. That somebody has read it is recorded.',
  query: {},
  body: SearchBody,
  answers: { 200: ExplanationView },
  errors: { 404: 'NOT_FOUND: the Application, or the Workspace' },
})

export function knowledgeSearchRoutes(app: AdminApp, deps: AdminDeps): void {
  app.post('/knowledge/search', { schema: docs }, async (request) => {
    const { workspaceId, body } = request
    const application = await findApplication(deps.db, workspaceId, body.application_id)
    if (!application) throw notFound('Application')
    if (!isStorable(body.query)) throw invalid({ param: 'query', message: 'must not hold U+0000 or unpaired surrogates' })
    const user = userOf(body)
    const viewer = viewerOf({ application, keyId: '' }, { user, sessionId: '' })
    const { enabled, collections } = application.settings.knowledge
    const { visible, hidden } = await explainedSearch(deps, viewer, { text: body.query, collections, limit: body.limit ?? 10 })
    // Nobody sees content before it is on record that they do.
    await change(deps, request, async () => {
      const id = (hasher: { user(id: string): string | null }) => hasher.user(user.id) ?? application.id
      return { value: undefined, action: 'knowledge.search_as', id, fields: ['content'] }
    })
    return {
      object: 'knowledge_explanation' as const,
      enabled,
      ceiling: viewer.ceiling,
      visible: visible.map(hitView),
      hidden: hidden.map(hitView),
    }
  })
}

function userOf(body: Static<typeof SearchBody>): User {
  const checked = withStorable({ ok: true as const, value: body }, 'user', ({ user }) => user, MAX_ATTRIBUTES)
  const { user = {} } = valid(checked)
  return { ...NOBODY, verified: true, ...user }
}

const hitView = (passage: ExplainedPassage) => ({
  chunk_id: passage.id,
  document_id: passage.documentId,
  collection_id: passage.collectionId,
  collection: passage.collection,
  title: passage.title,
  headings: [...passage.headings],
  content: passage.content,
  source: passage.source,
  classification: passage.classification,
  similarity: passage.similarity,
  flagged: passage.flagged,
  checks: [...passage.checks],
})
