import { expect } from 'vitest'
import { fromId, newId } from '../../src/platform/lib/id.ts'
import { ALL_ALLOWED, NOW, PAGE, type Scenario } from './scenario.ts'

const DRAFT = {
  kind: 'preference',
  summary: null,
  classification: 'internal',
  regulations: [],
  expiresAt: null,
  mode: 'active',
  source: 'capture',
}

const clock = { now: () => NOW }
const hasher = { text: (_: string, text: string) => Buffer.from(text).toString('hex') }

/** Stores, reads and replaces memories. Returns the id of one. */
export async function storeMemories({
  db,
  call,
  workspaceId,
  applicationId,
  viewer,
  uuid,
  ranker,
  transact,
}: Scenario): Promise<string> {
  const draft = (content: string, scope: string, more: object = {}) => {
    const ids = { id: newId('mem'), auditId: newId('aud') }
    return { ...DRAFT, ...ids, content, scope, scopeId: 'hangar', ...more }
  }
  const store = (...fields: Parameters<typeof draft>) =>
    transact((tx) => call<{ id: string }>('memory/capture.storeMemory', tx, viewer, draft(...fields), hasher, NOW))
  const { id } = await store('My favourite tea is Assam.', 'user')
  await store('My favourite tea is Assam!', 'user', { classification: 'confidential' })
  const { id: latest } = await store('My favourite tea is Darjeeling.', 'user', { classification: 'confidential' })
  const shared = ['session', 'application', 'department', 'workspace'].map((scope) => draft('tea', scope))
  await transact((tx) => call('memory/capture.storeMemories', tx, viewer, shared, hasher, NOW))
  const { id: due } = await store('tea for a while', 'workspace', { expiresAt: new Date(NOW.getTime() + 1) })
  await call('memory/memory-store.findMemory', db, workspaceId, id, NOW)
  await call('memory/memory-store.listMemories', db, workspaceId, {
    ...PAGE,
    now: NOW,
    userId: 'mara',
    scope: 'user',
    scopeId: 'mara',
    applicationId,
    history: true,
  })
  expect(await call('memory/recall.recallMemories', { db, ranker, clock }, viewer, { text: 'tea' })).not.toHaveLength(0)
  await call('memory/memory-row.loadMemoryTexts', db, [String(fromId('mem', due))])
  await call('memory/memory-row.loadMemoryEntries', db, [String(fromId('mem', due))])
  const correction = { content: 'My favourite tea is Oolong.', summary: null, classification: 'confidential' }
  await transact((tx) => call('memory/memory-store.correctMemory', tx, workspaceId, latest, correction, hasher, NOW))
  await call('memory/memory-row.memoriesOf', db, uuid)
  await call('memory/memory-row.unexpiredMemoriesOf', db, uuid, NOW)
  return id
}

export async function changeOwners({ db, call, keys, workspaceId, applicationId, uuid, transact }: Scenario): Promise<void> {
  const owner = { workspaceId, scope: 'user', scopeId: 'mara', applicationId: null, userId: 'mara' }
  const partitions = await call<object[]>('memory/owner-store.findMemoryPartitions', db, [owner], ['internal'])
  await call('memory/denied-memories.withoutDenied', db, workspaceId, partitions, ALL_ALLOWED)
  await transact(async (tx) => {
    const heldOwner = await call<{ id: string }>('memory/owner-store.lockOwner', tx, owner)
    keys.add(heldOwner.id)
    await call('memory/owner-store.lockOwners', tx, [heldOwner.id])
    await call('memory/owner-store.openMemoryPartition', tx, heldOwner, 'public')
    const placing = {
      ...DRAFT,
      id: newId('mem'),
      auditId: newId('aud'),
      content: 'coffee',
      applicationId,
      subject: 'drink',
      ceiling: 'restricted',
    }
    const placed = await call<{ id: string }>('memory/upsert-memory.upsertMemory', tx, heldOwner, placing, hasher, NOW)
    await call('memory/erase.removeMemories', tx, heldOwner, [fromId('mem', placed.id)])
    await call('memory/owner-store.deleteEmptyOwners', tx, uuid, [heldOwner.id])
  })
}

export async function eraseMemories({ db, call, workspaceId, transact }: Scenario, id: string): Promise<void> {
  await call('memory/erase.removeExpired', db, new Date(NOW.getTime() + 2), 10)
  await transact((tx) => call('memory/erase.eraseMemory', tx, workspaceId, id))
  await transact((tx) => call('memory/erase.eraseUser', tx, workspaceId, 'mara'))
}
