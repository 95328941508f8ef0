import { readdirSync, readFileSync } from 'node:fs'
import { loadWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { DETECTORS } from '../../domains/classification/detectors.ts'
import { createTextScanner } from '../../domains/classification/scan.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import type { CollectionCreate } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName } from '../../domains/knowledge/collection-store.ts'
import { ingestDocument } from '../../domains/knowledge/ingest.ts'
import { storeMemory } from '../../domains/memory/capture.ts'
import { createAssistant } from '../../domains/messaging/assistants/assistant-store.ts'
import { createGroup } from '../../domains/messaging/groups/group-store.ts'
import { updateProfile } from '../../domains/messaging/people/contact-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { newId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import { type MemoryKind, type MemoryScope, SHARED_SCOPES } from '../../shared/memory-words.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { governFields } from '../setup/apply-user.ts'
import { type Change, changeOf } from '../setup/change.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

const DOCUMENTS = new URL('../../../../examples/documents/', import.meta.url)
const scanText = createTextScanner({ detectors: DETECTORS, budgetMs: 10_000 })

/** One collection for each classification, each with its own ACL. `servedApplications` names the Applications that may use it. */
const COLLECTIONS: readonly (CollectionCreate & { readonly servedApplications?: readonly string[] })[] = [
  { name: 'handbook', description: 'Guides for all employees.', classification: 'public', acl: { everyone: true } },
  {
    name: 'support',
    description: 'Guides for customer support.',
    classification: 'internal',
    acl: { departments: ['support'], roles: ['compliance_officer'] },
    servedApplications: ['support'],
  },
  {
    name: 'engineering',
    description: 'Documents for engineering.',
    classification: 'confidential',
    acl: { departments: ['engineering'], users: ['carol'] },
  },
  {
    name: 'compliance',
    description: 'Documents for compliance officers.',
    classification: 'restricted',
    acl: { roles: ['compliance_officer'] },
  },
]

export async function seedKnowledge(context: ApplyContext): Promise<Change[]> {
  const changes: Change[] = []
  for (const declared of COLLECTIONS) changes.push(...(await seedCollection(context, declared)))
  return changes
}

async function seedCollection(
  { tx, workspaceId, now }: ApplyContext,
  { servedApplications, ...fields }: (typeof COLLECTIONS)[number],
): Promise<Change[]> {
  if (await findCollectionByName(tx, workspaceId, fields.name)) return []
  const found = await Promise.all((servedApplications ?? []).map((name) => findApplicationByName(tx, workspaceId, name)))
  const applications = servedApplications ? found.flatMap((application) => application?.id ?? []) : null
  const collection = await createCollection(tx, workspaceId, { ...fields, applications }, now)
  if (!collection) return []
  const changes = [changeOf('collection', 'created', collection)]
  const folder = new URL(`${fields.name}/`, DOCUMENTS)
  const transact = <T>(write: (tx: ApplyContext['tx'], now: Date) => T): T => write(tx, now)
  const deps = { db: tx as Db, clock: { now: () => now }, scanText, transact }
  for (const name of readdirSync(folder).sort()) {
    const key = `${fields.name}/${name}`
    const document = { key, name, bytes: readFileSync(new URL(name, folder)) }
    const ingested = await ingestDocument(deps, workspaceId, collection.id, document)
    if (ingested) changes.push(changeOf('document', 'created', { id: ingested.documentId, name: key }))
  }
  return changes
}

interface DemoMemory {
  readonly scope: MemoryScope
  readonly kind: MemoryKind
  readonly content: string
  readonly classification?: Classification
  readonly user?: string
  readonly scopeId?: string
}

const MEMORIES: readonly DemoMemory[] = [
  {
    scope: 'user',
    user: 'alice',
    kind: 'preference',
    content: 'Alice prefers short answers, in a list where there is more than one point.',
  },
  { scope: 'user', user: 'bob', kind: 'fact', content: 'Bob looks after the release train of the ordering system.' },
  {
    scope: 'department',
    scopeId: 'support',
    kind: 'decision',
    content: 'Since October a goodwill voucher needs the number of its ticket.',
  },
  {
    scope: 'project',
    scopeId: 'atlas',
    kind: 'fact',
    content: 'The rehearsal of the Atlas switch-over is on the second Tuesday of December.',
    classification: 'confidential',
  },
  { scope: 'application', kind: 'workflow_state', content: 'The form for returns has moved to the customer portal.' },
  { scope: 'workspace', kind: 'fact', content: 'The office is closed between Christmas and New Year.' },
]

const NEW_MEMORY = { summary: null, regulations: [], expiresAt: null, mode: 'active', source: 'admin' } as const

export async function seedMemories({ tx, workspaceId, workspaceBox, now }: ApplyContext): Promise<Change[]> {
  const application = await findApplicationByName(tx, workspaceId, 'support')
  const keys = await loadWorkspaceKeys(tx, workspaceBox, workspaceId)
  if (!application || !keys) return []
  const changes: Change[] = []
  for (const { user = '', scopeId = null, classification = 'internal', ...memory } of MEMORIES) {
    const viewer = {
      workspaceId,
      applicationId: application.id,
      user: { ...ANONYMOUS_USER, id: user },
      sessionId: '',
      ceiling: 'restricted' as const,
      assertionScopes: SHARED_SCOPES,
    }
    const auditId = newId('aud')
    const draft = { ...memory, ...NEW_MEMORY, id: newId('mem'), scopeId, classification, auditId }
    const { id } = await storeMemory(tx, viewer, draft, keys.hasher, now)
    changes.push({ ...changeOf('memory', 'created', { id, name: id }), auditId })
  }
  return changes
}

/** The numbers are in the range that Ofcom reserves for fiction. */
const PROFILES = {
  alice: { displayName: 'Alice Moreno', phoneNumber: '+44 1632 960001' },
  bob: { displayName: 'Bob Lindqvist', phoneNumber: '+44 1632 960002' },
  carol: { displayName: 'Carol Nakamura', phoneNumber: '+44 1632 960003' },
} as const

export async function seedMessaging(context: ApplyContext): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  for (const [id, profile] of Object.entries(PROFILES)) {
    const known = await findUser(tx, workspaceId, id)
    if (!known) continue
    const governed = await governFields(context, 'users', profile)
    await updateProfile(tx, { workspaceId, user: { ...known, verified: true } }, governed)
  }
  const fields = await governFields(context, 'groups', { name: 'Order desk', description: 'Questions about orders.' })
  const newGroup = { ...fields, avatarUrl: null, ownerId: 'alice' }
  const group = await createGroup(tx, workspaceId, newGroup, Object.keys(PROFILES), now)
  const changes = [changeOf('group', 'created', { id: group.id, name: fields.name })]
  const application = await findApplicationByName(tx, workspaceId, 'support')
  if (!application) return changes
  const assistantFields = await governFields(context, 'assistants', { username: 'ada', display_name: 'Ada, the assistant' })
  const created = await createAssistant(tx, workspaceId, { ...assistantFields, id: 'ada', application_id: application.id }, now)
  if (created.ok) changes.push(changeOf('user', 'created', { id: created.assistant.id, name: assistantFields.username }))
  return changes
}
