import type { Db } from '../../platform/db/database.ts'
import { findApplication } from '../identity/application-store.ts'
import { findActorNames } from '../operators/actors.ts'
import type { EventNames, GovernanceEvent } from './event-message.ts'

const ACTORS = ['assigned_to', 'assigned_for', 'decided_by', 'published_by']
const isText = (value: unknown): value is string => typeof value === 'string'

export async function findNames(db: Db, { workspaceId, payload }: Omit<GovernanceEvent, 'type'>): Promise<EventNames> {
  const fields: Readonly<Record<string, unknown>> = { ...payload }
  const { application_id: id } = fields
  const application = isText(id) ? await findApplication(db, workspaceId, id) : undefined
  const ids = ACTORS.map((field) => fields[field]).filter(isText)
  return { application: application?.name, actors: ids.length === 0 ? new Map() : await findActorNames(db, ids) }
}
