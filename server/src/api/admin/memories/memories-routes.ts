import { type Static, Type } from 'typebox'
import { assess } from '../../../domains/classification/risk.ts'
import { eraseMemory, eraseUser } from '../../../domains/memory/erase.ts'
import { checkDraft } from '../../../domains/memory/memory.ts'
import type { Memory } from '../../../domains/memory/memory-row.ts'
import { correctMemory, findMemory, listMemories } from '../../../domains/memory/memory-store.ts'
import { eraseResponsesOfUser } from '../../../domains/responses/stored-response-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { isStorable, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { MEMORY_KINDS, MEMORY_MODES, MEMORY_SCOPES, MEMORY_SOURCES } from '../../../shared/memory-words.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { applicationIn, List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type QueryOf, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change, changedFields } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const MemoryView = Type.Object({
  id: Type.String(),
  object: Type.Literal('memory'),
  scope: oneOf(MEMORY_SCOPES, 'MemoryScope'),
  scope_id: Type.String(),
  user_id: nullable(Type.String({ description: 'The owner. null: shared.' })),
  application_id: Type.String({ description: 'The Application that stored the memory.' }),
  kind: oneOf(MEMORY_KINDS, 'MemoryKind'),
  content: Type.String(),
  summary: nullable(Type.String()),
  subject: nullable(Type.String({ description: 'A new memory about the same subject replaces this one.' })),
  classification: oneOf(CLASSIFICATIONS, 'Classification'),
  regulations: Type.Array(Type.String()),
  mode: oneOf(MEMORY_MODES, 'MemoryMode'),
  source: oneOf(MEMORY_SOURCES),
  audit_id: Type.String({ description: 'Audit record of the request that stored the memory.' }),
  message_id: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  superseded_by: nullable(Type.String({ description: 'The memory that replaced this one.' })),
  superseded_at: nullable(Timestamp),
})

const memoryView = (memory: Memory) => viewOf(MemoryView, memory)

const MEMORY_FILTER = {
  user_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Memories of this user, including those of their sessions.' }),
  ),
  scope: Type.Optional(oneOf(MEMORY_SCOPES, 'MemoryScope')),
  scope_id: Type.Optional(Type.String({ maxLength: 512, description: 'Id of the session, department, project …' })),
  application_id: Type.Optional(Type.String({ description: 'The Application that stored the memories.' })),
  mode: Type.Optional(oneOf(MEMORY_MODES, 'MemoryMode')),
  history: Type.Optional(oneOf(['true', 'false'])),
}

const MemoryCorrection = Type.Object({
  content: Type.String(),
  summary: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Default: no summary.' })),
})
type MemoryCorrection = Static<typeof MemoryCorrection>

const ErasureView = Type.Object({
  object: Type.Literal('memory_erasure'),
  erased: Type.Integer({ description: 'Number of erased memories.' }),
  erased_responses: Type.Integer({ description: 'Number of erased stored responses.' }),
})

const UNKNOWN = { 404: 'NOT_FOUND: the memory, or the Workspace' }

const docs = {
  list: inWorkspace('GET /memories', 'listMemories', 'List memories, newest first', {
    scope: 'memory:read',
    description:
      'Reading is recorded in the audit log. `history=true` includes superseded memories. Expired memories are never included.',
    query: { ...PAGE, ...MEMORY_FILTER },
    answers: { 200: List(MemoryView) },
  }),
  get: inWorkspace('GET /memories/:id', 'getMemory', 'Get a memory', {
    scope: 'memory:read',
    description: 'Reading is recorded in the audit log.',
    answers: { 200: MemoryView },
    errors: UNKNOWN,
  }),
  correct: inWorkspace('PATCH /memories/:id', 'correctMemory', 'Correct a memory', {
    scope: 'memory:write',
    description:
      'Returns the new version, which has a new id and the same or stricter labels. The old version is kept as history. Secrets are refused.',
    body: MemoryCorrection,
    answers: { 200: MemoryView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: the memory has been replaced by a newer version' },
  }),
  erase: inWorkspace('DELETE /memories/:id', 'eraseMemory', 'Erase a memory and its history', {
    scope: 'memory:write',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
  eraseUser: inWorkspace('DELETE /users/:id/memories', 'eraseUserMemories', 'Erase all memories and stored responses of a user', {
    scope: 'memory:write',
    description:
      "Includes sessions, history and the responses that `POST /v1/responses` has stored, in all Applications. Works also for users who are not in the Workspace's directory.",
    answers: { 200: ErasureView },
  }),
}

/** Operators manage memories for users. Audit records contain only the keyed hash of a memory (GW-AUD-2). */
export function memoriesRoutes(app: TypedApp, deps: AdminDeps): void {
  // Content is returned only after the access is recorded.
  handle(app, docs.list, async (request) => {
    const { workspaceId, query } = request
    const filter = parseFilter(query)
    const page = await change(deps, request, async (tx, now) => {
      const { user_id: user = '' } = query
      const fields = Object.keys(MEMORY_FILTER).filter((name) => Object.hasOwn(query, name))
      const value = await listMemories(tx, workspaceId, { ...filter, now })
      return { value, action: 'memory.list', id: (hasher) => hasher.user(user) ?? workspaceId, fields }
    })
    return listById(page, memoryView)
  })

  handle(app, docs.get, async (request) => {
    const memory = await change(deps, request, async (tx, now) => {
      const value = requireFound(await findMemory(tx, request.workspaceId, request.params.id, now), 'memory')
      return { value, action: 'memory.read', id: value.contentHash, fields: ['content'] }
    })
    return memoryView(memory)
  })

  handle(app, docs.correct, async (request) => {
    const { workspaceId, params, body } = request
    const { content, summary = null } = body
    const problem = checkDraft({ content, summary, expiresAt: null }, deps.clock.now())
    if (problem) throw invalid(problem)
    const counts = inspectCorrection(body, deps)
    const { hasher } = await deps.workspaceKeys.get(workspaceId)
    const memory = await change(deps, request, async (tx, now) => {
      const before = requireFound(await findMemory(tx, workspaceId, params.id, now), 'memory')
      if (before.supersededAt !== null)
        throw conflict('This memory has been replaced by a newer version. Read it and correct that one.')
      const { classification } = assess(counts, { classification: before.classification, risk: 'low' })
      const correction = { content, summary, classification }
      const value = requireFound(await correctMemory(tx, workspaceId, params.id, correction, hasher, now), 'memory')
      return { value, action: 'memory.correct', id: before.contentHash, fields: changedFields(MemoryCorrection, body) }
    })
    return memoryView(memory)
  })

  erasureRoutes(app, deps)
}

function erasureRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs.erase, async (request, reply) => {
    await change(deps, request, async (tx) => {
      const { contentHash } = requireFound(await eraseMemory(tx, request.workspaceId, request.params.id), 'memory')
      return { value: undefined, action: 'memory.erase', id: contentHash }
    })
    return reply.status(204).send()
  })

  handle(app, docs.eraseUser, async (request) => {
    const { workspaceId, params } = request
    const erased = await change(deps, request, async (tx) => {
      const isPossible = isStorable(params.id)
      const value = {
        erased: isPossible ? await eraseUser(tx, workspaceId, params.id) : 0,
        erased_responses: isPossible ? await eraseResponsesOfUser(tx, workspaceId, params.id) : 0,
      }
      return { value, action: 'memory.erase_user', id: (hasher) => hasher.user(params.id) ?? '' }
    })
    return { object: 'memory_erasure' as const, ...erased }
  })
}

function parseFilter(query: QueryOf<typeof PAGE & typeof MEMORY_FILTER>) {
  for (const param of ['user_id', 'scope_id'] as const) {
    if (!isStorable(query[param] ?? '')) throw invalid({ param, message: 'must not contain U+0000 or unpaired surrogates' })
  }
  const { user_id: userId, scope, scope_id: scopeId, mode, history } = query
  return { ...pageOf(query), userId, scope, scopeId, mode, history: history === 'true', applicationId: applicationIn(query) }
}

/** Counts the findings. Throws for a secret, and when a detector failed: such texts are never stored. */
function inspectCorrection({ content, summary }: MemoryCorrection, { scanTexts }: AdminDeps) {
  const { findings, counts, failures } = scanTexts([content, summary ?? ''])
  if (failures.length > 0)
    throw new GatehouseError('UNAVAILABLE', { message: 'A detector failed, so nothing was changed. Try again.' })
  const param = findings[0]?.some(({ type }) => type.startsWith('secret.')) ? 'content' : 'summary'
  if (counts.secret > 0) throw invalid({ param, message: 'must not contain a secret' })
  return counts
}
