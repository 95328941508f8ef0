import { type TProperties, type TSchema, Type } from 'typebox'
import type { Scope } from '../domain/scope.ts'
import { errorResponses } from '../http/schemas.ts'

/** What an operation takes and answers. Bodies and responses by their schemas; null: an answer without a body. */
interface Parts {
  /** What an operator must be allowed (domain/roles.ts); null: whoever is signed in may. */
  readonly scope: Scope | null
  readonly description?: string
  readonly params?: TSchema
  readonly body?: TSchema
  /** By status. */
  readonly answers: Readonly<Record<number, TSchema | null>>
  /** Refusals beside those that every operation has. */
  readonly errors?: Readonly<Record<number, string>>
}

const EVERYWHERE = {
  401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED: neither a valid admin token nor a session',
  403: 'FORBIDDEN: without the scope that `x-gatehouse-scope` names',
  503: 'UNAVAILABLE',
}
const INVALID = { 400: 'VALIDATION_ERROR, with the field in `param`' }
const WITH_BODY = { ...INVALID, 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE' }

/** The documentation of an operation on the server as a whole, and what its requests are checked against. */
export function operation<P extends Parts, Q extends TProperties>(operationId: string, summary: string, parts: P & { query: Q }) {
  return { ...common(operationId, summary, parts), ...inputs(parts), querystring: Type.Object(parts.query) }
}

/** Where an operation's documentation has its scope: the hook that enforces it reads it from there. */
export const SCOPE = 'x-gatehouse-scope'

const WORKSPACE_TEXT = "Id or name of the Workspace to work in. Default: the server's first."

/** As `operation`, within a Workspace of the caller's choice (workspace-choice.ts). */
export function inWorkspace<P extends Parts, Q extends TProperties>(
  operationId: string,
  summary: string,
  parts: P & { query: Q },
) {
  const choice = { workspace: Type.Optional(Type.String({ maxLength: 200, description: WORKSPACE_TEXT })) }
  const errors = { 404: 'NOT_FOUND: the Workspace', ...parts.errors }
  return {
    ...common(operationId, summary, { ...parts, errors }),
    ...inputs(parts),
    querystring: Type.Object({ ...parts.query, ...choice }),
    headers: Type.Object({
      'x-gatehouse-workspace': Type.Optional(Type.String({ maxLength: 200, description: `${WORKSPACE_TEXT} The query wins.` })),
    }),
  }
}

type Inputs<P> = { [K in keyof P as K extends 'params' | 'body' ? K : never]-?: NonNullable<P[K]> }

const inputs = <P extends Parts>({ params, body }: P) => ({ ...(params && { params }), ...(body && { body }) }) as Inputs<P>

function common(operationId: string, summary: string, { scope, description, body, answers, errors }: Parts) {
  const documented = Object.entries(answers).map(([status, schema]) => [
    status,
    schema ? { description: summary, ...schema } : { type: 'null', description: 'Done; no body.' },
  ])
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: ['admin'],
    security: [{ adminToken: [] }, { operatorSession: [] }],
    [SCOPE]: scope,
    response: {
      ...errorResponses({ ...EVERYWHERE, ...(body ? WITH_BODY : INVALID), ...errors }),
      ...Object.fromEntries(documented),
    } as Record<number, TSchema>,
  }
}
