import { type Static, type TSchema, Type } from 'typebox'
import { EMPTY_REQUEST, type GatewayRequest, type Parsed } from '../../pipeline/request.ts'
import { checker, type Problem } from '../../platform/lib/schema.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { ENCODINGS } from '../../shared/embedding.ts'
import { passedOn, refusedField } from './chat-fields.ts'
import { type ChatLimits, contentTooLarge } from './chat-request.ts'
import {
  CLASSIFICATION,
  GovernanceUser,
  identifier,
  identityOf,
  invalid,
  MEMORY_KIND,
  MEMORY_SCOPE,
  name,
  optional,
  PATTERNS,
  SearchGovernance,
  SessionGovernance,
  sessionId,
  userOf,
} from './request-fields.ts'

const query = Type.String({ minLength: 1, pattern: '\\S', maxLength: 32_768 })
const limit = optional(Type.Integer({ minimum: 1, maximum: 50 }))

/** GW-KNOW-1, GW-KNOW-2, GW-KNOW-10 */
export const KnowledgeSearchBody = Type.Object({ query, limit, governance: optional(SearchGovernance) })

/** GW-MEMS-1, GW-MEMS-2, GW-MEMS-8 */
export const MemorySearchBody = Type.Object({ query, limit, governance: optional(SessionGovernance) })

/** GW-MEMC-1 to GW-MEMC-3 */
export const CaptureBody = Type.Object({
  content: Type.String({ minLength: 1, pattern: '\\S' }),
  scope: MEMORY_SCOPE,
  kind: MEMORY_KIND,
  classification: CLASSIFICATION,
  summary: optional(Type.String()),
  scope_id: optional(Type.String({ ...name, minLength: 1 })),
  regulations: optional(Type.Array(name, { maxItems: 64 })),
  expires_at: optional(Type.String({ format: 'date-time' })),
  governance: optional(SessionGovernance),
})

/** A parser for one endpoint: validates by the schema, then by `problemOf`; `read` makes the GatewayRequest. */
function parser<S extends TSchema>(
  schema: S,
  read: (body: Static<S>) => Partial<GatewayRequest>,
  problemOf: (body: Static<S>) => Problem | undefined = () => undefined,
): (body: unknown) => Parsed {
  const check = checker(schema, PATTERNS)
  return (body) => {
    const checked = check(body)
    if (!checked.ok) return invalid(checked.problem)
    const problem = problemOf(checked.value)
    return problem ? invalid(problem) : { ok: true, request: { ...EMPTY_REQUEST, ...read(checked.value) } }
  }
}

const asMessage = (content: string) => [{ role: 'user', content }]

export const parseKnowledgeSearch = parser(KnowledgeSearchBody, (body) => ({
  user: userOf(body.governance),
  messages: asMessage(body.query),
  limit: body.limit ?? EMPTY_REQUEST.limit,
}))

export const parseMemorySearch = parser(MemorySearchBody, (body) => ({
  ...identityOf(body.governance),
  messages: asMessage(body.query),
  limit: body.limit ?? EMPTY_REQUEST.limit,
}))

export const parseCapture = parser(
  CaptureBody,
  (body) => ({
    ...identityOf(body.governance),
    messages: [body.content, body.summary ?? ''].filter(Boolean).flatMap(asMessage),
    // Other users read them, so the detectors scan them; if a transform would change them, the capture is refused.
    parameters: body.regulations?.length ? { regulations: body.regulations } : {},
    capture: {
      scope: body.scope,
      scopeId: body.scope_id ?? null,
      kind: body.kind,
      classification: body.classification,
      regulations: [...new Set(body.regulations)],
      expiresAt: body.expires_at == null ? null : new Date(body.expires_at),
    },
  }),
  ({ scope, scope_id }) =>
    (scope === 'department' || scope === 'project') && scope_id == null
      ? { param: 'scope_id', message: `is required for the scope ${scope}` }
      : undefined,
)

export const parseModel = (id: string) => (): Parsed =>
  id.length > 0 && id.length <= 256 && !id.includes('\0') && id.isWellFormed()
    ? { ok: true, request: { ...EMPTY_REQUEST, model: id } }
    : invalid({ param: 'id', message: 'must be the id of a model' })

export const parseNothing = (lookupId: string | undefined) => (): Parsed => ({
  ok: true,
  request: { ...EMPTY_REQUEST, lookupId },
})

const MAX_INPUTS = 2_048

const inputText = Type.String({ minLength: 1 })

/** GW-EMB-1 to GW-EMB-5 */
export const EmbeddingsBody = Type.Object(
  {
    model: optional(identifier()),
    input: Type.Union([inputText, Type.Array(inputText, { minItems: 1, maxItems: MAX_INPUTS })], {
      description: 'Texts. Lists of tokens are refused, because detectors cannot read them.',
    }),
    dimensions: optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
    encoding_format: optional(Type.Union(ENCODINGS.map((encoding) => Type.Literal(encoding)))),
    user: optional(Type.String({ maxLength: 256 })),
    governance: optional(
      Type.Object({ user: optional(GovernanceUser), session_id: sessionId, dry_run: optional(Type.Boolean()) }),
    ),
  },
  {
    description: 'Other fields are passed to the provider unchanged, and their texts are inspected like all others.',
  },
)

const checkEmbeddings = checker(EmbeddingsBody, PATTERNS)

export function parseEmbeddings(body: unknown, limits: ChatLimits): Parsed {
  const problem = isObject(body) ? (inputProblem(body.input) ?? embeddingsProblem(body)) : undefined
  if (problem) return invalid(problem)
  const checked = checkEmbeddings(body)
  if (!checked.ok) return invalid(checked.problem)
  const { value } = checked
  const inputs = typeof value.input === 'string' ? [value.input] : value.input
  const large = inputs.findIndex((input) => Buffer.byteLength(input) > limits.contentBytes)
  if (large >= 0) return contentTooLarge(typeof value.input === 'string' ? 'input' : `input[${large}]`, limits)
  return { ok: true, request: { ...EMPTY_REQUEST, ...fieldsOf(value), messages: inputs.map(inputMessage) } }
}

const inputMessage = (content: string) => ({ role: 'user', content })

function fieldsOf({ input: _, ...body }: Static<typeof EmbeddingsBody>) {
  const { governance, model } = body
  return {
    ...identityOf(governance),
    model: model ?? '',
    // A null field is left out with its name, so no provider gets a name that detectors have not read.
    parameters: passedOn(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
    dryRun: governance?.dry_run ?? false,
  }
}

/** The schema would name only the first branch of `input` that does not match. */
function inputProblem(input: unknown): Problem | undefined {
  if (!Array.isArray(input)) return input === '' ? { param: 'input', message: 'must not be empty' } : undefined
  if (input.some((item) => typeof item !== 'string'))
    return { param: 'input', message: 'must be a string or a list of strings: detectors cannot read tokens, pictures or objects' }
  if (input.length === 0 || input.length > MAX_INPUTS) return { param: 'input', message: `must have 1 to ${MAX_INPUTS} strings` }
  const empty = input.indexOf('')
  return empty < 0 ? undefined : { param: `input[${empty}]`, message: 'must not be empty' }
}

/** Fields that the gateway reads or sets, and `messages`, which some servers embed instead of `input`. */
const AT_THE_TOP = ['model', 'input', 'messages', 'dimensions', 'encoding_format', 'stream', 'governance', 'extra_body'] as const
/** A stream is no response of this API, and `messages` would be a second input. */
const UNSUPPORTED = { messages: 'use input', stream: 'embeddings are one response' }

function embeddingsProblem(body: Fields): Problem | undefined {
  const extra = isObject(body.extra_body) ? body.extra_body : {}
  const hidden = AT_THE_TOP.find((name) => Object.hasOwn(extra, name))
  if (hidden !== undefined) return { param: `extra_body.${hidden}`, message: 'must be a top-level field of the body' }
  for (const [param, reason] of Object.entries(UNSUPPORTED))
    if (body[param]) return { param, message: `is not supported: ${reason}` }
  return refusedField(body, '') ?? refusedField(extra, 'extra_body.')
}
