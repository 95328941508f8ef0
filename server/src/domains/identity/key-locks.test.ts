import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { issueKey, revokeKeys, rotateKey } from './api-key-store.ts'
import { lockApplication, setArchived } from './application-store.ts'
import { createTeam, deleteTeam, lockTeam } from './team-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const ROTATION = { overlapUntil: NOW, issuer: null }

/** Resolves when another session waits for a lock of a transaction. */
const untilBlocked = (db: Db): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      expect(rows).toHaveLength(1)
    },
    { timeout: 20_000, interval: 20 },
  )

// The embedded database runs one transaction at a time.
describe.each(testDatabases())('locks of keys on $name', async ({ name, open }) => {
  const concurrently = test.runIf(name === 'postgresql')
  const { db } = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(db)

  async function issue() {
    const owner = { workspaceId, ...(await seedApplication(db, workspaceId)) }
    const { id = '' } = (await issueKey(db, owner, 'shared', NOW)) ?? {}
    return { owner, id }
  }

  /** Archives the Application, and starts the other transaction when the Application is locked and its keys are not yet. */
  async function archiveDuring<T>(
    owner: { readonly workspaceId: string; readonly applicationId: string },
    other: (tx: Tx) => Promise<T>,
  ) {
    let started: Promise<T> | undefined
    await db.transaction().execute(async (tx) => {
      await setArchived(tx, workspaceId, owner.applicationId, NOW)
      started = db.transaction().execute(other)
      started.catch(() => {})
      await untilBlocked(db)
      await revokeKeys(tx, owner, NOW)
    })
    return started
  }

  concurrently('rotation: waits for the archiving of its Application and is refused, without a deadlock', async () => {
    const { owner, id } = await issue()
    const rotated = await archiveDuring(owner, (tx) => rotateKey(tx, workspaceId, id, ROTATION, NOW))
    expect(rotated).toEqual({ ok: false, reason: 'revoked' })
  })

  concurrently('lock of an Application: waits for its archiving', async () => {
    const { owner } = await issue()
    const locked = await archiveDuring(owner, (tx) => lockApplication(tx, workspaceId, owner.applicationId))
    expect(locked?.archivedAt).toEqual(NOW)
  })

  concurrently('lock of a team: waits for its deletion and finds no team', async () => {
    const team = await db.transaction().execute((tx) => createTeam(tx, workspaceId, { name: 'deleted' }, NOW))
    let locked: Promise<unknown> | undefined
    await db.transaction().execute(async (tx) => {
      await deleteTeam(tx, workspaceId, team?.id ?? '')
      locked = db.transaction().execute((other) => lockTeam(other, workspaceId, team?.id ?? ''))
      await untilBlocked(db)
    })
    expect(await locked).toBeUndefined()
  })
})
