import { type TSchema, Type } from 'typebox'
import { oneOf } from '../../platform/lib/fields.ts'
import { RISK_LEVELS } from '../../shared/classification.ts'
import { VERDICTS } from '../../shared/decision.ts'
import { MEMORY_MODES } from '../../shared/memory-words.ts'
import { type Api, route } from '../kit/route.ts'
import { checkNothing } from '../kit/validation.ts'
import { ChatBody } from './chat-request.ts'
import { CaptureBody, EmbeddingsBody, KnowledgeSearchBody, MemorySearchBody } from './other-requests.ts'
import { CLASSIFICATION, MEMORY_KIND, MEMORY_SCOPE } from './request-fields.ts'
import { ResponseFields, ResponsesBody } from './responses-schemas.ts'

const strings = Type.Array(Type.String())

/** GW-GOV-2 to GW-GOV-4 */
export const GovernanceBlock = Type.Object(
  {
    audit_id: Type.String(),
    decision: Type.Optional(Type.Object({ verdict: oneOf(VERDICTS, 'Verdict'), transforms: strings, directives: strings })),
    risk_level: Type.Optional(oneOf(RISK_LEVELS, 'RiskLevel')),
    user_verified: Type.Optional(Type.Boolean()),
    dry_run: Type.Optional(Type.Boolean()),
    provider: Type.Optional(Type.String()),
    review_item_id: Type.Optional(Type.String()),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'Names the fields of the request that the gateway does not know.' }),
    ),
  },
  { title: 'Governance' },
)

/** GW-COMP-1 to GW-COMP-4 */
const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({ role: Type.Literal('assistant'), content: Type.Union([Type.String(), Type.Null()]) }),
      finish_reason: Type.String(),
    }),
  ),
  usage: Type.Optional(
    Type.Object({ prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  ),
  governance: GovernanceBlock,
})

/** GW-KNOW-4, and where the passage is from. */
export const KnowledgeHit = Type.Object({
  chunk_id: Type.String(),
  document_title: Type.String(),
  content: Type.String(),
  classification: CLASSIFICATION,
  regulations: strings,
  similarity: Type.Number(),
  document_id: Type.String(),
  collection: Type.String({ description: 'Its name.' }),
  source: Type.String({ description: 'Where the document is from, such as its URL.' }),
  headings: Type.Array(Type.String(), { description: 'The headings that apply to the passage, outermost first.' }),
  updated_at: Type.String({ format: 'date-time', description: 'When the content of the document last changed.' }),
})

/** GW-MEMS-4 */
export const MemoryHit = Type.Object({
  memory_id: Type.String(),
  scope: MEMORY_SCOPE,
  kind: MEMORY_KIND,
  content: Type.String(),
  summary: Type.Union([Type.String(), Type.Null()]),
  classification: CLASSIFICATION,
  similarity: Type.Number(),
})

const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  ({ object: Type.Literal('list'), data: Type.Array(item) }) as const

export const header = (description: string, title?: string) =>
  Type.Optional(Type.String({ description, ...(title && { title }) }))

/** GW-GOV-5 */
const RequestHeaders = Type.Object({
  'x-gateway-user-token': header('A JWT of the end user, verified against the Workspace JWKS.', 'UserTokenParameter'),
  'x-gatehouse-user': header(
    '`governance.user.id`, for clients that cannot send a field of their own in the body.',
    'UserParameter',
  ),
  'x-gatehouse-user-role': header('`governance.user.role`', 'RoleParameter'),
  'x-gatehouse-user-department': header('`governance.user.department`', 'DepartmentParameter'),
  'x-gatehouse-session': header('`governance.session_id`', 'SessionParameter'),
})
const EmbeddingsHeaders = Type.Object({
  ...RequestHeaders.properties,
  'x-gatehouse-dry-run': header('`governance.dry_run`: `true` or `false`', 'DryRunParameter'),
})
export const ChatHeaders = Type.Object({
  ...EmbeddingsHeaders.properties,
  'x-gatehouse-review-item': header('`governance.review_item_id`', 'ReviewItemParameter'),
  'x-gatehouse-wait-seconds': header('`governance.wait_for_approval_seconds`', 'WaitSecondsParameter'),
})

export const REQUEST_ERRORS = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_INVALID_KEY, AUTH_KEY_REVOKED or AUTH_INVALID_USER_TOKEN',
  429: 'RATE_LIMITED, with Retry-After',
}

export const GATEWAY: Api = {
  tag: 'gateway',
  security: [{ applicationKey: [] }],
  errors: { 401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED', 503: 'UNAVAILABLE' },
  bodyErrors: { ...REQUEST_ERRORS, 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE' },
  // Stage 2 of the pipeline checks requests, after the key.
  validatorCompiler: checkNothing,
}

/** Paths without `/v1` are aliases: the OpenAPI document contains each operation once. */
export type Path = `/${string}`
export const named = (path: Path, operationId: string) => (path.startsWith('/v1') ? operationId : undefined)

const PROVIDER_ERRORS = { 422: 'NO_ELIGIBLE_PROVIDER', 502: 'PROVIDER_ERROR', 504: 'PROVIDER_TIMEOUT' }
export const CHAT_ERRORS = {
  403: 'POLICY_DENIED or POLICY_REVIEW_DENIED, with audit_id',
  409: 'POLICY_REVIEW_PENDING, with review_item_id',
  410: 'REVIEW_HOLD_EXPIRED',
  ...PROVIDER_ERRORS,
}

/** A response that is JSON, or events if the request asks for a stream. */
export const jsonOrEvents = (description: string, schema: TSchema, events: string) => ({
  description,
  content: { 'application/json': { schema }, 'text/event-stream': { schema: Type.String({ description: events }) } },
})

export const chat = (path: Path) =>
  route(GATEWAY, `POST ${path}`, {
    operationId: named(path, 'createChatCompletion'),
    summary: 'Create a governed chat completion',
    description:
      'Compatible with the OpenAI chat API. With `stream: true` the completion is validated as a whole and then sent as server-sent events.',
    headers: ChatHeaders,
    body: ChatBody,
    answers: {
      200: jsonOrEvents(
        'The completion, or with `stream: true` its chunks and `data: [DONE]`.',
        ChatCompletion,
        'Events of `chat.completion.chunk` objects.',
      ),
    },
    errors: CHAT_ERRORS,
  })

export const responses = (path: Path) =>
  route(GATEWAY, `POST ${path}`, {
    operationId: named(path, 'createResponse'),
    summary: 'Create a governed response',
    description:
      'Compatible with the OpenAI responses API. The request, with the stored conversation that it continues, is governed as the chat that it is translated into.',
    headers: ChatHeaders,
    body: ResponsesBody,
    answers: {
      200: jsonOrEvents(
        'The response, or with `stream: true` its events and `data: [DONE]`.',
        Type.Object({ ...ResponseFields, governance: GovernanceBlock }),
        'Events from `response.created` to `response.completed` or `response.incomplete`.',
      ),
    },
    errors: CHAT_ERRORS,
  })

/** GW-EMB-9 */
const EmbeddingList = Type.Object({
  ...listOf(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer({ description: 'Position of the text in `input`.' }),
      embedding: Type.Union([
        Type.Array(Type.Number()),
        Type.String({ description: 'With `encoding_format: base64`: base64 of little-endian 32-bit floats.' }),
      ]),
    }),
  ),
  model: Type.String(),
  usage: Type.Optional(Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() })),
  governance: GovernanceBlock,
})

export const embeddings = (path: Path) =>
  route(GATEWAY, `POST ${path}`, {
    operationId: named(path, 'createEmbeddings'),
    summary: 'Create governed embeddings',
    description: 'Compatible with the OpenAI embeddings API. Each text of `input` is governed like a message of a user.',
    headers: EmbeddingsHeaders,
    body: EmbeddingsBody,
    answers: { 200: EmbeddingList },
    errors: { 403: 'POLICY_DENIED, with audit_id', ...PROVIDER_ERRORS },
  })

const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String({ description: 'The provider id.' }),
})

export const model = (path: Path) =>
  route(GATEWAY, `GET ${path}/:id`, {
    operationId: named(path, 'getModel'),
    summary: 'Get a model that the calling Application can use',
    description: 'The id as in a chat: `model` or `provider/model`. Slashes may be percent-encoded.',
    answers: { 200: ModelEntry },
    errors: { 404: 'NOT_FOUND: unknown, or not allowed for this Application' },
  })

export const models = (path: Path) =>
  route(GATEWAY, `GET ${path}`, {
    operationId: named(path, 'listModels'),
    summary: 'List the models that the calling Application can use',
    description:
      'The models of all providers that may serve the Application, in the form of OpenAI, or with `anthropic-version` in that of Anthropic.',
    answers: { 200: Type.Object(listOf(ModelEntry)) },
  })

export const audit = route(GATEWAY, 'GET /v1/audit/:id', {
  operationId: 'getAuditRecord',
  summary: 'Get the audit record of a request of the calling Application',
  description: 'The record has the decision with its rules, hashes and counts, and no content.',
  answers: {
    200: Type.Object(
      { id: Type.String(), object: Type.Literal('audit_record') },
      { title: 'ApplicationAuditRecord', additionalProperties: true },
    ),
  },
  errors: { 404: 'NOT_FOUND: unknown, or of another Application' },
})

export const knowledgeSearch = route(GATEWAY, 'POST /v1/knowledge/search', {
  operationId: 'searchKnowledge',
  summary: 'Search knowledge that the user can see',
  description: 'Returns passages that the user may see. A denied query returns no hits.',
  headers: RequestHeaders,
  body: KnowledgeSearchBody,
  answers: { 200: Type.Object({ ...listOf(KnowledgeHit), governance: GovernanceBlock }) },
})

export const memorySearch = route(GATEWAY, 'POST /v1/memory/search', {
  operationId: 'searchMemory',
  summary: 'Search memories that the user can see',
  description: 'Returns memories of the scopes that the user belongs to. A denied query returns no hits.',
  headers: RequestHeaders,
  body: MemorySearchBody,
  answers: { 200: Type.Object({ ...listOf(MemoryHit), governance: GovernanceBlock }) },
})

export const memoryCapture = route(GATEWAY, 'POST /v1/memory/capture', {
  operationId: 'captureMemory',
  summary: 'Store a memory',
  description: 'Stores one memory, if policies allow it.',
  headers: RequestHeaders,
  body: CaptureBody,
  answers: {
    200: Type.Object({
      stored: Type.Boolean(),
      memory_id: Type.Optional(Type.String()),
      mode: Type.Optional(oneOf(MEMORY_MODES, 'MemoryMode')),
      governance: GovernanceBlock,
    }),
  },
  errors: { 403: 'POLICY_DENIED' },
})
