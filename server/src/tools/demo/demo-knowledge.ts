import { readdirSync, readFileSync } from 'node:fs'
import { DETECTORS } from '../../domains/classification/detectors.ts'
import { createTextScanner } from '../../domains/classification/scan.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import type { CollectionCreate } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName } from '../../domains/knowledge/collection-store.ts'
import { ingestDocument } from '../../domains/knowledge/ingest.ts'
import type { Db } from '../../platform/db/database.ts'
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
  const deps = { db: tx as Db, scanText, transact: <T>(write: (tx: ApplyContext['tx'], now: Date) => T) => write(tx, now) }
  for (const name of readdirSync(folder).sort()) {
    const key = `${fields.name}/${name}`
    const document = { key, name, bytes: readFileSync(new URL(name, folder)) }
    const ingested = await ingestDocument(deps, workspaceId, collection.id, document)
    if (ingested) changes.push(changeOf('document', 'created', { id: ingested.documentId, name: key }))
  }
  return changes
}
