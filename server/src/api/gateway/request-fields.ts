import { type Static, Type } from 'typebox'
import type { Parsed, UserAssertion } from '../../pipeline/request.ts'
import { oneOf } from '../../platform/lib/fields.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { CLASSIFICATIONS } from '../../shared/classification.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../../shared/memory-words.ts'
import { MAX_PROJECTS } from '../../shared/viewer.ts'

const MAX_NAME = 256

/** OpenAI clients send null for what they leave out. */
export const optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** Letters and digits of any script, and ASCII signs except those of quotes and markup. */
const SIGNS = String.raw`!#-;=?-~\p{L}\p{M}\p{N}`

const IDENTIFIER = `^[${SIGNS}]*$`
const NAME = `^[${SIGNS} §’–]*$`

export const PATTERNS: Readonly<Record<string, string>> = {
  [IDENTIFIER]:
    'must be an identifier: letters, digits and signs such as - _ . : @ / + without spaces, quotation marks, angle brackets, invisible or control characters',
  [NAME]: 'must be a name on one line, without quotation marks, angle brackets, invisible or control characters',
}

/** A technical id: a UUID, an e-mail address, a path, a URN. No detector scans it, so it must not be prose. */
export const identifier = () => Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: IDENTIFIER })

/** A name on one line: as an identifier, with spaces. */
export const name = Type.String({ maxLength: MAX_NAME, pattern: NAME })

/** Any JSON object; a list of `projects` is bounded. */
const Attributes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  properties: {
    projects: {
      maxItems: MAX_PROJECTS,
      description: 'List of project names. Memories of these projects (scope `project`) are included.',
    },
  },
  additionalProperties: true,
})

/** The user that a request asserts (GW-AUTH-4). */
export const GovernanceUser = Type.Object(
  {
    // A name: directories give ids with spaces (`CN=Jane Roe,OU=…`).
    id: Type.String({ ...name, minLength: 1, description: 'Workspace-canonical user id, stable across Applications.' }),
    role: optional(name),
    department: optional(name),
    attributes: optional(Attributes),
  },
  { title: 'AssertedUser' },
)

/** Empty: none. */
export const sessionId = optional(Type.String({ maxLength: MAX_NAME, pattern: IDENTIFIER }))

export const SearchGovernance = Type.Object({ user: optional(GovernanceUser) })
export const SessionGovernance = Type.Object(
  { user: optional(GovernanceUser), session_id: sessionId },
  { title: 'SessionGovernance' },
)

export const userOf = (governance: Static<typeof SearchGovernance> | null | undefined): UserAssertion | undefined =>
  (governance?.user as UserAssertion | null | undefined) ?? undefined

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

export function withClientField(parsed: Parsed, fieldOf: (param: string) => string): Parsed {
  const param = parsed.ok ? undefined : parsed.problem.param
  if (parsed.ok || param === undefined || fieldOf(param) === param) return parsed
  const { message } = parsed.problem
  const clientMessage = message.startsWith(param) ? fieldOf(param) + message.slice(param.length) : message
  return { ...parsed, problem: { ...parsed.problem, param: fieldOf(param), message: clientMessage } }
}

export const CLASSIFICATION = oneOf(CLASSIFICATIONS, 'Classification')
export const MEMORY_SCOPE = oneOf(MEMORY_SCOPES, 'MemoryScope')
export const MEMORY_KIND = oneOf(MEMORY_KINDS, 'MemoryKind')
