import { type Static, Type } from 'typebox'
import { CLASSIFICATIONS } from '../domain/classification.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../domain/memory-words.ts'
import { MAX_PROJECTS } from '../domain/viewer.ts'
import type { Problem } from '../lib/schema.ts'
import type { Parsed, UserAssertion } from '../pipeline/request.ts'

const MAX_NAME = 256

/** OpenAI clients send null for what they leave out. */
export const optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** Names are stored: PostgreSQL has no text with U+0000. */
export const WITHOUT_NUL = '^[^\\u0000]*$'

const name = Type.String({ maxLength: MAX_NAME, pattern: WITHOUT_NUL })

/** Free-form; `projects` is bounded where it is a list. */
const Attributes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  properties: {
    projects: { maxItems: MAX_PROJECTS, description: 'A list of strings: whose memories of the scope project are found.' },
  },
  additionalProperties: true,
})

/** gateway-api.md, GovernanceUser (Identity Assertion). */
export const GovernanceUser = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    pattern: WITHOUT_NUL,
    description: 'Workspace-canonical user id, stable across Applications.',
  }),
  role: optional(name),
  department: optional(name),
  attributes: optional(Attributes),
})

export const sessionId = optional(name)

/** What knowledge and memory search share. */
export const SearchGovernance = Type.Object({ user: optional(GovernanceUser) })
export const SessionGovernance = Type.Object({ user: optional(GovernanceUser), session_id: sessionId })

/** The Identity Assertion of a governance block. */
export const userOf = (governance: Static<typeof SearchGovernance> | null | undefined): UserAssertion | undefined =>
  (governance?.user as UserAssertion | null | undefined) ?? undefined

/** The identity part of a governance block that has a session, in the pipeline's words. */
export const identityOf = (
  governance: Static<typeof SessionGovernance> | null | undefined,
): { user: UserAssertion | undefined; sessionId: string } => ({
  user: userOf(governance),
  sessionId: governance?.session_id ?? '',
})

export const invalid = ({ param, message }: Problem): Parsed => ({
  ok: false,
  problem: { ...(param && { param }), message: param ? `${param}: ${message}.` : `The body ${message}.` },
})

const oneOf = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)))

export const CLASSIFICATION = oneOf(CLASSIFICATIONS)
export const MEMORY_SCOPE = oneOf(MEMORY_SCOPES)
export const MEMORY_KIND = oneOf(MEMORY_KINDS)
