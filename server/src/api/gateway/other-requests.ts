import { type Static, type TSchema, Type } from 'typebox'
import { EMPTY_REQUEST, type GatewayRequest, type Parsed } from '../../pipeline/request.ts'
import { checker, type Problem } from '../../platform/lib/schema.ts'
import {
  CLASSIFICATION,
  identityOf,
  invalid,
  MEMORY_KIND,
  MEMORY_SCOPE,
  name,
  optional,
  PATTERNS,
  SearchGovernance,
  SessionGovernance,
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
