import { toPlainString } from '../../../platform/lib/plain-text.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import type { PolicyPoint } from '../../../shared/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES } from '../../../shared/finding.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../../../shared/memory-words.ts'
import { departmentsOf, ENDPOINTS, rolesOf } from '../../../shared/principal.ts'
import { UNREAD_KINDS } from '../../../shared/unread.ts'
import type { PolicyInput } from '../input.ts'
import { ANY, ANY_MAP, BOOL, INT, STRING, TIMESTAMP, type Type, type Words } from './value-types.ts'

export interface Variable {
  readonly type: Type
  /** Its JavaScript value: ints are numbers, timestamps are Dates, maps are plain objects. */
  readonly read: (input: PolicyInput) => unknown
}

export const CLASSIFICATION_WORDS: Words = { name: 'classification', values: CLASSIFICATIONS }
export const RISK_WORDS: Words = { name: 'risk level', values: RISK_LEVELS }
const ENDPOINT_WORDS: Words = { name: 'endpoint', values: [...ENDPOINTS, 'message'] }
const SCOPE_WORDS: Words = { name: 'memory scope', values: MEMORY_SCOPES }
const KIND_WORDS: Words = { name: 'memory kind', values: MEMORY_KINDS }

const oneOf = (words: Words): Type => ({ kind: 'string', words })
const STRINGS: Type = { kind: 'list', of: STRING }
const FINDINGS: Type = { kind: 'map', of: INT, keys: new Set([...FINDING_TYPES, ...FINDING_GROUPS]) }

const UNREAD_WORDS: Words = { name: 'kind of unread content', values: UNREAD_KINDS }
const CALLS: Type = { kind: 'list', of: { kind: 'map', of: ANY, fields: { name: STRING, arguments: ANY_MAP } } }

const variable = (type: Type, read: Variable['read']): Variable => ({ type, read })

/** All variables of conditions by full name (GW-POL-5). docs/policies.md explains each of them. */
export const VARIABLES: ReadonlyMap<string, Variable> = new Map(
  Object.entries({
    'user.id': variable(STRING, ({ user }) => user.id),
    'user.role': variable(STRING, ({ user }) => user.role),
    'user.department': variable(STRING, ({ user }) => user.department),
    'user.roles': variable(STRINGS, ({ user }) => rolesOf(user)),
    'user.departments': variable(STRINGS, ({ user }) => departmentsOf(user)),
    'user.groups': variable(STRINGS, ({ user }) => user.groups ?? []),
    'user.attributes': variable(ANY_MAP, ({ user }) => user.attributes),
    'user.verified': variable(BOOL, ({ user }) => user.verified),
    'application.id': variable(STRING, ({ application }) => application.id),
    'application.name': variable(STRING, ({ application }) => application.name),
    'application.settings': variable(ANY_MAP, ({ application }) => application.settings),
    'request.endpoint': variable(oneOf(ENDPOINT_WORDS), ({ request }) => request.endpoint),
    'request.model': variable(STRING, ({ request }) => request.model),
    'request.session_id': variable(STRING, ({ request }) => request.sessionId),
    'request.stream': variable(BOOL, ({ request }) => request.stream),
    'request.dry_run': variable(BOOL, ({ request }) => request.dryRun),
    'request.message_count': variable(INT, ({ request }) => request.messageCount),
    'request.tokens': variable(INT, ({ request }) => request.tokens),
    'request.max_tokens': variable(INT, ({ request }) => request.maxTokens),
    'request.priced': variable(BOOL, ({ request }) => request.priced ?? true),
    'request.tools': variable(STRINGS, ({ request }) => request.tools ?? []),
    'content.text': variable(STRING, ({ content }) => content.text),
    'content.plain': variable(STRING, ({ content }) => toPlainString(content.text)),
    'content.unread': variable(INT, ({ content }) => content.unread ?? 0),
    'content.unread_bytes': variable(INT, ({ content }) => content.unreadBytes ?? 0),
    'content.unread_kinds': variable({ kind: 'list', of: oneOf(UNREAD_WORDS) }, ({ content }) => content.unreadKinds ?? []),
    'content.tool_calls': variable(CALLS, ({ content }) => content.toolCalls ?? []),
    'content.classification': variable(oneOf(CLASSIFICATION_WORDS), ({ content }) => content.classification),
    'content.risk_level': variable(oneOf(RISK_WORDS), ({ content }) => content.riskLevel),
    'content.findings': variable(FINDINGS, ({ content }) => content.findings),
    'response.model': variable(STRING, ({ response }) => response?.model ?? ''),
    'response.provider': variable(STRING, ({ response }) => response?.provider ?? ''),
    'response.finish_reason': variable(STRING, ({ response }) => response?.finishReason ?? ''),
    'response.tokens': variable(INT, ({ response }) => response?.tokens ?? 0),
    'hit.classification': variable(oneOf(CLASSIFICATION_WORDS), ({ hit }) => hit?.classification),
    'hit.regulations': variable(STRINGS, ({ hit }) => hit?.regulations),
    'hit.title': variable(STRING, ({ hit }) => hit?.title),
    'hit.collection': variable(STRING, ({ hit }) => hit?.collection),
    'hit.document': variable(STRING, ({ hit }) => hit?.document),
    'hit.updated_at': variable(TIMESTAMP, ({ hit }) => hit?.updatedAt),
    'memory.classification': variable(oneOf(CLASSIFICATION_WORDS), ({ memory }) => memory?.classification),
    'memory.regulations': variable(STRINGS, ({ memory }) => memory?.regulations),
    'memory.scope': variable(oneOf(SCOPE_WORDS), ({ memory }) => memory?.scope),
    'memory.scope_id': variable(STRING, ({ memory }) => memory?.scopeId),
    'memory.kind': variable(oneOf(KIND_WORDS), ({ memory }) => memory?.kind),
    'memory.created_at': variable(TIMESTAMP, ({ memory }) => memory?.createdAt),
    'memory.expires_at': variable({ kind: 'timestamp', nullable: true }, ({ memory }) => memory?.expiresAt),
    'message.conversation_id': variable(STRING, ({ message }) => message?.conversationId),
    'message.sender': variable(STRING, ({ message }) => message?.sender),
    'message.group': variable(STRING, ({ message }) => message?.group),
    now: variable(TIMESTAMP, ({ now }) => now),
  }),
)

/** Groups of variables that exist only at some points. All other groups exist at every point. */
export const GROUP_POINTS: ReadonlyMap<string, readonly PolicyPoint[]> = new Map(
  Object.entries({
    response: ['output'],
    hit: ['retrieve'],
    memory: ['recall', 'remember'],
    message: ['message'],
  } satisfies Record<string, PolicyPoint[]>),
)

/** First parts of all names: `user`, `content` … Loop variables must have other names. */
export const ROOTS: ReadonlySet<string> = new Set([...VARIABLES.keys()].map((name) => name.split('.')[0] ?? name))

export const fieldsOf = (group: string): readonly string[] =>
  [...VARIABLES.keys()].filter((name) => name.startsWith(`${group}.`)).map((name) => name.slice(group.length + 1))

export const scaleOf = (word: string): string | undefined =>
  [CLASSIFICATION_WORDS, RISK_WORDS].find(({ values }) => values.includes(word))?.name

/** `rank("confidential")`: position of a classification or risk level on its scale; the lowest is 0. Throws a RangeError for other words. */
export function rankOf(word: string): number {
  for (const { values } of [CLASSIFICATION_WORDS, RISK_WORDS]) {
    const rank = values.indexOf(word)
    if (rank >= 0) return rank
  }
  throw new RangeError('neither a classification nor a risk level')
}
