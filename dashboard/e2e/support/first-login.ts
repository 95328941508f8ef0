import { deletePerson, listPeople } from '../../../server/src/operators/operator-store.ts'
import { ensureFirstLogin, firstLoginUrl } from '../../../server/src/setup/first-login.ts'
import type { Dashboard } from './dashboard.ts'

/** The link that a first start prints: as if the demo had come without an owner. */
export async function firstLogin({ server: { base, context, config } }: Dashboard): Promise<string> {
  const { data: people } = await listPeople(context.database.db, { limit: 10 })
  await context.database.db.transaction().execute(async (tx) => {
    for (const { id } of people) await deletePerson(tx, id)
  })
  const token = await ensureFirstLogin(context, config.dataDir)
  if (token === undefined) throw new Error('somebody can sign in already')
  return firstLoginUrl(base, token)
}
