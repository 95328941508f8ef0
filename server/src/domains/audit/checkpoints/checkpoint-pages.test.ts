import { describe, expect, test } from 'vitest'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { mostRows } from '../../../../test/support/most-rows.ts'
import { SEALED_PAGE_SIZE } from '../audit-store.ts'
import { findCheckpointsBetween } from './checkpoint-store.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'

describe.each(testDatabases())('signing of many records on $name', ({ open }) => {
  const log = useAuditLog(open)

  test('makeCheckpoint: statements read a page of links at most, and a checkpoint covers about a thousand records', async () => {
    await log().appendUnderLock(1_250)
    expect(
      await mostRows(log().db, (db) => makeCheckpoint(db, log().workspaceId, log().keys, { now: () => afterSigning(0) })),
    ).toBe(SEALED_PAGE_SIZE)
    const sizes = await findCheckpointsBetween(log().db, log().workspaceId, 0, 2_000)
    expect(sizes.map(({ size }) => size)).toEqual([1_000, 1_250])
  })
})
