import { type Static, Type } from 'typebox'
import { findApplication } from '../../../domains/identity/application-store.ts'
import { DOCUMENT_STATES } from '../../../domains/knowledge/document.ts'
import { VISIBILITY_RULES } from '../../../domains/knowledge/explain-visibility.ts'
import type { ExplainedPassage } from '../../../domains/knowledge/search.ts'
import { type DocumentExplanation, explainDocument, explainSearch } from '../../../pipeline/explain-search.ts'
import { isStorable, Line, oneOf, withStorable } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { ANONYMOUS_USER, type User } from '../../../shared/principal.ts'
import { invalid, requireFound, valid } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const MAX_ATTRIBUTES = 16_384

const SearchBody = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 2_000, pattern: '\\S' }),
  application_id: Type.String({ description: 'The Application of the search.' }),
  user: Type.Optional(
    Type.Object(
      {
        id: Type.Optional(Line),
        role: Type.Optional(Line),
        department: Type.Optional(Line),
        groups: Type.Optional(Type.Array(Line, { maxItems: 1_000, description: 'In addition to those of the directory.' })),
        attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        verified: Type.Optional(Type.Boolean({ default: true, description: 'Treat the user as verified by a user token.' })),
      },
      { description: 'The user of the search. Default: an anonymous user.' },
    ),
  ),
  document_id: Type.Optional(Type.String({ description: 'A document to explain: why the search finds it, or not.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
})

const Checks = Type.Array(
  Type.Object(
    {
      rule: oneOf(VISIBILITY_RULES),
      passed: Type.Boolean(),
      because: Type.String({ description: 'Explanation in plain words.' }),
    },
    { title: 'VisibilityCheck' },
  ),
  { description: 'The rules that decide whether the user can see it.' },
)

const HitView = Type.Object(
  {
    chunk_id: Type.String(),
    document_id: Type.String(),
    collection_id: Type.String(),
    collection: Type.String(),
    title: Type.String(),
    headings: Type.Array(Type.String()),
    content: Type.String(),
    source: Type.String(),
    classification: oneOf(CLASSIFICATIONS, 'Classification'),
    similarity: Type.Number(),
    flagged: Type.Boolean(),
    checks: Checks,
  },
  { title: 'ExplainedHit' },
)

const ExplanationView = Type.Object({
  object: Type.Literal('knowledge_explanation'),
  enabled: Type.Boolean({ description: 'Whether knowledge is enabled for the Application. If not, its users find nothing.' }),
  ceiling: {
    ...oneOf(CLASSIFICATIONS, 'Classification'),
    description: 'Highest classification that this user can see through this Application.',
  },
  withheld_by: Type.Array(Type.String(), { description: 'Ids of rules that withhold all hits of this query.' }),
  document: nullable(
    Type.Object(
      {
        id: Type.String(),
        title: Type.String(),
        state: oneOf(DOCUMENT_STATES, 'DocumentState'),
        rank: nullable(
          Type.Integer({ description: 'The place of its first passage among the 50 best hits. null: it is not among them.' }),
        ),
        missing_words: Type.Array(Type.String(), { description: 'Words of the query that it does not contain in any form.' }),
        checks: Checks,
      },
      { title: 'ExplainedDocument', description: 'The document of `document_id`. null: none was asked for.' },
    ),
  ),
  visible: Type.Array(HitView, { description: 'Hits of the user, best first, as the search returns them.' }),
  hidden: Type.Array(HitView, { description: 'Matching chunks that the search does not return, because of labels or policies.' }),
})

const docs = inWorkspace('POST /knowledge/search', 'explainKnowledgeSearch', 'Search as a user and explain the results', {
  scope: 'knowledge:content',
  description:
    'Applies labels, the collections of the Application and the policies, as a search of the user does. Nothing is charged. Reading is recorded in the audit log.',
  body: SearchBody,
  answers: { 200: ExplanationView },
  errors: { 404: 'NOT_FOUND: the Application, or the Workspace' },
})

export function explainedSearchRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs, async (request) => {
    const { workspaceId, body } = request
    if (!isStorable(body.query)) throw invalid({ param: 'query', message: 'must not contain U+0000 or unpaired surrogates' })
    const user = await deps.groups.withGroups(workspaceId, userOf(body))
    const application = requireFound(await findApplication(deps.db, workspaceId, body.application_id), 'Application')
    const { enabled } = application.settings.knowledge
    const asked = { application, user, query: body.query, limit: body.limit ?? 10 }
    const { viewer, withheldBy, visible, hidden, serviceCalls } = await explainSearch(asked, deps)
    const { document_id: documentId } = body
    const explained = documentId === undefined ? null : requireFound(await explainDocument(documentId, asked, deps), 'document')
    // Content is returned only after the access is recorded.
    await change(deps, request, async () => {
      const id = (hasher: { user(id: string): string | null }) => hasher.user(user.id) ?? body.application_id
      const calls = [...serviceCalls, ...(explained?.serviceCalls ?? [])]
      return { value: undefined, action: 'knowledge.search_as', id, fields: ['content'], serviceCalls: calls }
    })
    return {
      object: 'knowledge_explanation' as const,
      enabled,
      ceiling: viewer.ceiling,
      withheld_by: withheldBy,
      document: explained && documentView(explained),
      visible: visible.map(hitView),
      hidden: hidden.map(hitView),
    }
  })
}

function userOf(body: Static<typeof SearchBody>): User {
  const checked = withStorable({ ok: true as const, value: body }, 'user', ({ user }) => user, MAX_ATTRIBUTES)
  const { user = {} } = valid(checked)
  return { ...ANONYMOUS_USER, verified: true, ...user }
}

const documentView = ({ document: { id, title, state }, rank, missingWords, checks }: DocumentExplanation) => ({
  ...{ id, title, state, rank },
  missing_words: [...missingWords],
  checks: [...checks],
})

const hitView = (passage: ExplainedPassage) => viewOf(HitView, passage, { chunk_id: passage.id, checks: passage.checks })
