import { isStorable } from '../applications/shapes.ts'
import { assess } from '../classification/risk.ts'
import { scan } from '../classification/scan.ts'
import { GatehouseError } from '../errors.ts'
import { eraseMemory, eraseUser } from '../memory/erase.ts'
import { checkDraft, type Memory } from '../memory/memory.ts'
import { correctMemory, findMemory, listMemories } from '../memory/memory-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { ErasureView, MEMORY_FILTER, MemoryCorrection, MemoryView, memoryView } from './memory-shapes.ts'
import { inWorkspace } from './operation.ts'
import { applicationIn, listOf, PAGE, pageOf } from './paging.ts'
import { invalid, notFound } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the memory, or the Workspace' }

const docs = {
  list: inWorkspace('listMemories', 'Memories, newest first', {
    scope: 'memory:read',
    description:
      'That somebody has read them is recorded. With `history=true` also what has been superseded; expired ones are gone.',
    query: { ...PAGE, ...MEMORY_FILTER },
    answers: { 200: List(MemoryView) },
  }),
  get: inWorkspace('getMemory', 'One memory', {
    scope: 'memory:read',
    description: 'That somebody has read it is recorded.',
    query: {},
    params: pathOf('id'),
    answers: { 200: MemoryView },
    errors: UNKNOWN,
  }),
  correct: inWorkspace('correctMemory', 'Correct a memory', {
    scope: 'memory:write',
    description:
      'Answers the new version, which has an id of its own and the same labels or stricter ones; the old one is kept as history. Secrets are refused.',
    query: {},
    params: pathOf('id'),
    body: MemoryCorrection,
    answers: { 200: MemoryView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: the memory has been replaced by a newer version' },
  }),
  erase: inWorkspace('eraseMemory', 'Erase a memory, and the history behind it', {
    scope: 'memory:write',
    query: {},
    params: pathOf('id'),
    answers: { 204: null },
    errors: UNKNOWN,
  }),
  eraseUser: inWorkspace('eraseUserMemories', "Erase all of a user's own memories", {
    scope: 'memory:write',
    description: 'Those of their sessions and the history included, in every Application. Users who are in no directory too.',
    query: {},
    params: pathOf('id'),
    answers: { 200: ErasureView },
  }),
}

const SUPERSEDED = 'This memory has been replaced by a newer version. Read it and correct that one.'

/** For the people who are remembered, by way of an operator. Records tell of a memory its keyed hash only (decisions.md §2.9). */
export function memoriesRoutes(app: AdminApp, deps: AdminDeps): void {
  // Nobody sees content before it is on record that they do.
  app.get('/memories', { schema: docs.list }, async (request) => {
    const { workspaceId, query } = request
    const filter = filterOf(query)
    const page = await change(deps, request, async (tx, now) => {
      const { user_id: user = '' } = query
      const fields = Object.keys(MEMORY_FILTER).filter((name) => Object.hasOwn(query, name))
      const value = await listMemories(tx, workspaceId, { ...filter, now })
      return { value, action: 'memory.list', id: (hasher) => hasher.user(user) ?? workspaceId, fields }
    })
    return listOf(page, memoryView, ({ id }) => id)
  })

  app.get('/memories/:id', { schema: docs.get }, async (request) => {
    const memory = await change(deps, request, async (tx, now) => {
      const value = found(await findMemory(tx, request.workspaceId, request.params.id, now))
      return { value, action: 'memory.read', id: value.contentHash, fields: ['content'] }
    })
    return memoryView(memory)
  })

  app.patch('/memories/:id', { schema: docs.correct }, async (request) => {
    const { workspaceId, params, body } = request
    const { content, summary = null } = body
    const problem = checkDraft({ content, summary, expiresAt: null }, deps.clock.now())
    if (problem) throw invalid(problem)
    const counts = countsOf(body, deps)
    const { hasher } = await deps.workspaceKeys.get(workspaceId)
    const memory = await change(deps, request, async (tx, now) => {
      const before = found(await findMemory(tx, workspaceId, params.id, now))
      if (before.supersededAt !== null) throw new GatehouseError('CONFLICT', { message: SUPERSEDED })
      const { classification } = assess(counts, { classification: before.classification, risk: 'low' })
      const value = found(await correctMemory(tx, workspaceId, params.id, { content, summary, classification }, hasher, now))
      return { value, action: 'memory.correct', id: before.contentHash, fields: changedFields(MemoryCorrection, body) }
    })
    return memoryView(memory)
  })

  app.delete('/memories/:id', { schema: docs.erase }, async (request, reply) => {
    await change(deps, request, async (tx) => {
      const { contentHash } = found(await eraseMemory(tx, request.workspaceId, request.params.id))
      return { value: undefined, action: 'memory.erase', id: contentHash }
    })
    return reply.status(204).send()
  })

  app.delete('/users/:id/memories', { schema: docs.eraseUser }, async (request) => {
    const { workspaceId, params } = request
    const erased = await change(deps, request, async (tx) => {
      const value = isStorable(params.id) ? await eraseUser(tx, workspaceId, params.id) : 0
      return { value, action: 'memory.erase_user', id: (hasher) => hasher.user(params.id) ?? '' }
    })
    return { object: 'memory_erasure' as const, erased }
  })
}

function filterOf(query: Parameters<typeof pageOf>[0] & Readonly<Record<string, unknown>> & FilterQuery) {
  for (const param of ['user_id', 'scope_id'] as const) {
    if (!isStorable(query[param] ?? '')) throw invalid({ param, message: 'must not hold U+0000 or unpaired surrogates' })
  }
  const { user_id: userId, scope, scope_id: scopeId, mode, history } = query
  return { ...pageOf(query), userId, scope, scopeId, mode, history: history === 'true', applicationId: applicationIn(query) }
}

interface FilterQuery {
  readonly user_id?: string
  readonly scope?: Memory['scope']
  readonly scope_id?: string
  readonly application_id?: string
  readonly mode?: Memory['mode']
  readonly history?: 'true' | 'false'
}

/** What the detectors find. A secret is never stored, whoever writes it; what could not be looked through neither. */
function countsOf({ content, summary }: MemoryCorrection, { detectors, detectorBudgetMs: budgetMs }: AdminDeps) {
  const { findings, counts, failures } = scan([content, summary ?? ''], { detectors, budgetMs })
  if (failures.length > 0) throw new GatehouseError('UNAVAILABLE', { message: 'The detectors failed, so nothing was changed.' })
  const param = findings[0]?.some(({ type }) => type.startsWith('secret.')) ? 'content' : 'summary'
  if (counts.secret > 0) throw invalid({ param, message: 'must not hold a secret' })
  return counts
}

function found(memory: Memory | undefined): Memory {
  if (!memory) throw notFound('memory')
  return memory
}
