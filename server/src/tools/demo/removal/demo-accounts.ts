import { sql } from 'kysely'
import type { Workspace } from '../../../domains/identity/workspace.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import { findPersonByEmail, listOwners } from '../../../domains/operators/operator-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { DEMO_ISSUER, DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../../shared/demo-words.ts'
import { DEMO_TOKEN_NAME } from '../demo-declaration.ts'

/** No other Workspace has the issuer of the demo, and operators may have renamed the demo. */
export const isDemo = ({ settings }: Workspace): boolean => settings.issuer === DEMO_ISSUER

/** The operators and admin tokens that go with the demo. Its owner stays as the last owner. `actor` asks for it, and stays. */
export async function findAccounts(db: Db, workspaceId: string, actor: string | null) {
  const owner = await findPersonByEmail(db, DEMO_OWNER_EMAIL)
  const reviewer = await findPersonByEmail(db, DEMO_REVIEWER_EMAIL)
  const goes = (person: Person | undefined): person is Person => person !== undefined && person.id !== actor
  const others = (await listOwners(db)).filter((id) => id !== owner?.id && id !== reviewer?.id)
  const isOwnerKept = owner !== undefined && (owner.id === actor || others.length === 0)
  const people = [...(isOwnerKept ? [] : [owner]), reviewer].filter(goes)
  return { people, tokenIds: await findTokens(db, workspaceId, { actor, isOwnerKept }), isOwnerKept }
}

async function findTokens(
  db: Db,
  workspaceId: string,
  { actor, isOwnerKept }: { readonly actor: string | null; readonly isOwnerKept: boolean },
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from admin_token where revoked_at is null and (workspace_ids = array[${uuidOfWorkspace(workspaceId)}]::uuid[]
      or (name = ${DEMO_TOKEN_NAME} and issued_by is null and not ${isOwnerKept}::boolean))
    order by id`.execute(db)
  return rows.map(({ id }) => toId('adm', id)).filter((id) => id !== actor)
}
