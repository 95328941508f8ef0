import type { Db } from '../../platform/db/database.ts'
import { findApplication } from '../identity/application-store.ts'
import { findActorNames } from '../operators/actors.ts'
import type { EventNames, GovernanceEvent } from './event-message.ts'

/** The names of what the payload of an event refers to, as they are now. */
export async function findNames(db: Db, { workspaceId, payload }: Omit<GovernanceEvent, 'type'>): Promise<EventNames> {
  const { application_id, assigned_to, assigned_for, decided_by, published_by } = { ...NO_REFERENCES, ...payload }
  const application = application_id === null ? undefined : await findApplication(db, workspaceId, application_id)
  const ids = [assigned_to, assigned_for, decided_by, published_by].filter((id) => id !== null)
  return { application: application?.name, actors: ids.length === 0 ? new Map() : await findActorNames(db, ids) }
}

const NO_REFERENCES: {
  readonly application_id: string | null
  readonly assigned_to: string | null
  readonly assigned_for: string | null
  readonly decided_by: string | null
  readonly published_by: string | null
} = { application_id: null, assigned_to: null, assigned_for: null, decided_by: null, published_by: null }
