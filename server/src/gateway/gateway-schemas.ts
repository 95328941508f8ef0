import { Type } from 'typebox'
import { errorResponses } from '../http/schemas.ts'
import { ChatBody } from './chat-request.ts'
import { CaptureBody, KnowledgeSearchBody, MemorySearchBody } from './other-requests.ts'
import { CLASSIFICATION, MEMORY_KIND, MEMORY_SCOPE } from './request-fields.ts'

const strings = Type.Array(Type.String())
const literals = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))

/** gateway-api.md, GovernanceBlock (in responses) */
const GovernanceBlock = Type.Object({
  audit_id: Type.String(),
  decision: Type.Optional(
    Type.Object({
      verdict: literals('allow', 'deny', 'escalate', 'require_approval'),
      transforms: strings,
      directives: strings,
    }),
  ),
  risk_level: Type.Optional(literals('low', 'medium', 'high', 'critical')),
  user_verified: Type.Optional(Type.Boolean()),
  dry_run: Type.Optional(Type.Boolean()),
  provider: Type.Optional(Type.String()),
  review_item_id: Type.Optional(Type.String()),
})

/** gateway-api.md, ChatCompletion */
const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Unix seconds.' }),
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

const KnowledgeHit = Type.Object({
  chunk_id: Type.String(),
  document_title: Type.String(),
  content: Type.String(),
  classification: CLASSIFICATION,
  regulations: strings,
  similarity: Type.Number(),
})

const MemoryHit = Type.Object({
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

const security = [{ applicationKey: [] }]
const tags = ['gateway']
const UserTokenHeader = Type.Object({
  'x-gateway-user-token': Type.Optional(
    Type.String({ description: 'A JWT of the end user, verified against the Workspace JWKS.' }),
  ),
})

const WITH_KEY = { 401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED', 503: 'UNAVAILABLE' }
const WITH_USER = { ...WITH_KEY, 401: 'AUTH_INVALID_KEY, AUTH_KEY_REVOKED or AUTH_INVALID_USER_TOKEN' }
const LIMITED = {
  400: 'VALIDATION_ERROR',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED, with Retry-After',
}

/** The paths without the prefix are the same operations: the document names each once. */
const named = (path: string, operationId: string) => (path.startsWith('/v1') ? { operationId } : { hide: true })

export const chat = (path: string) => ({
  ...named(path, 'createChatCompletion'),
  summary: 'Governed chat completion',
  description: 'OpenAI-compatible. With `stream: true` the answer is server-sent events, replayed after full validation.',
  tags,
  security,
  headers: UserTokenHeader,
  body: ChatBody,
  response: {
    200: {
      description: 'The completion, or with `stream: true` its chunks and `data: [DONE]`.',
      content: {
        'application/json': { schema: ChatCompletion },
        'text/event-stream': { schema: Type.String({ description: 'Events of `chat.completion.chunk` objects.' }) },
      },
    },
    ...errorResponses({
      ...WITH_USER,
      ...LIMITED,
      403: 'POLICY_DENIED or POLICY_REVIEW_DENIED, with audit_id',
      409: 'POLICY_REVIEW_PENDING, with review_item_id',
      410: 'REVIEW_HOLD_EXPIRED',
      422: 'NO_ELIGIBLE_PROVIDER',
      502: 'PROVIDER_ERROR',
      504: 'PROVIDER_TIMEOUT',
    }),
  },
})

const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String({ description: 'The provider id.' }),
})

export const model = (path: string) => ({
  ...named(path, 'getModel'),
  summary: 'One model that the calling Application may use',
  description: 'The id as in a chat: `model` or `provider/model`; slashes in it may be percent-encoded.',
  tags,
  security,
  params: Type.Object({ id: Type.String() }),
  response: {
    200: ModelEntry,
    ...errorResponses({ ...WITH_KEY, 404: 'NOT_FOUND: unknown, or not for this Application' }),
  },
})

export const models = (path: string) => ({
  ...named(path, 'listModels'),
  summary: 'Models that the calling Application may use',
  tags,
  security,
  response: {
    200: Type.Object(listOf(ModelEntry)),
    ...errorResponses(WITH_KEY),
  },
})

export const audit = {
  operationId: 'getAuditRecord',
  summary: 'Audit record of an execution of the calling Application',
  tags,
  security,
  params: Type.Object({ id: Type.String() }),
  response: {
    200: Type.Object({ id: Type.String(), object: Type.Literal('audit_record') }, { additionalProperties: true }),
    ...errorResponses({ ...WITH_KEY, 404: 'NOT_FOUND: unknown, or of another Application' }),
  },
}

export const knowledgeSearch = {
  operationId: 'searchKnowledge',
  summary: 'Permission-filtered knowledge retrieval',
  tags,
  security,
  headers: UserTokenHeader,
  body: KnowledgeSearchBody,
  response: {
    200: Type.Object({ ...listOf(KnowledgeHit), governance: GovernanceBlock }),
    ...errorResponses({ ...WITH_USER, ...LIMITED }),
  },
}

export const memorySearch = {
  operationId: 'searchMemory',
  summary: 'Scope-isolated memory recall',
  tags,
  security,
  headers: UserTokenHeader,
  body: MemorySearchBody,
  response: {
    200: Type.Object({ ...listOf(MemoryHit), governance: GovernanceBlock }),
    ...errorResponses({ ...WITH_USER, ...LIMITED }),
  },
}

export const memoryCapture = {
  operationId: 'captureMemory',
  summary: 'Explicit memory capture',
  tags,
  security,
  headers: UserTokenHeader,
  body: CaptureBody,
  response: {
    200: Type.Object({
      stored: Type.Boolean(),
      memory_id: Type.Optional(Type.String()),
      mode: Type.Optional(literals('active', 'audit_only')),
      governance: GovernanceBlock,
    }),
    ...errorResponses({ ...WITH_USER, ...LIMITED, 403: 'POLICY_DENIED' }),
  },
}
