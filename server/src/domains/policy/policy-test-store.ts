import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'
import { type NamedDefinition, TEST_LIMITS } from './policy-test-case.ts'

export type StoredTest = NamedDefinition & Entity<'policy_test', 'id' | 'file' | 'created_by' | 'created_at' | 'updated_at'>

export type NewTest = NamedDefinition & Pick<StoredTest, 'file' | 'createdBy'>

/** Oldest first. Undefined if `page.after` is not an id. */
export const listTests = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<StoredTest> | undefined> =>
  pageById(tests(db, workspaceId).selectAll(), 'pts', page, toTest)

export async function allTests(db: Db, workspaceId: string): Promise<readonly StoredTest[]> {
  const rows = await tests(db, workspaceId).selectAll().orderBy('id').limit(TEST_LIMITS.cases).execute()
  return rows.map(toTest)
}

export const findTest = (db: Db, workspaceId: string, id: string): Promise<StoredTest | undefined> =>
  tests(db, workspaceId).selectAll().where('id', '=', uuidOrNull('pts', id)).$call(takeFirst(toTest))

export async function countTests(tx: Tx, workspaceId: string): Promise<number> {
  const { count } = await tests(tx, workspaceId)
    .select((of) => of.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function createTests(
  tx: Tx,
  workspaceId: string,
  added: readonly NewTest[],
  now: Date,
): Promise<readonly StoredTest[]> {
  if (added.length === 0) return []
  const rows = added.map((test) => ({
    id: newUuid(),
    workspace_id: uuidOfWorkspace(workspaceId),
    name: test.name,
    file: test.file,
    definition: definitionOf(test),
    created_by: test.createdBy,
    created_at: now,
    updated_at: now,
  }))
  await tx.insertInto('policy_test').values(rows).execute()
  return added.map((test, index) => ({ ...test, id: toId('pts', rows[index]?.id ?? ''), createdAt: now, updatedAt: now }))
}

export const updateTest = (
  tx: Tx,
  workspaceId: string,
  id: string,
  test: NamedDefinition,
  now: Date,
): Promise<StoredTest | undefined> =>
  tx
    .updateTable('policy_test')
    .set({ name: test.name, definition: definitionOf(test), updated_at: now })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('pts', id))
    .returningAll()
    .$call(takeFirst(toTest))

export async function deleteTest(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('policy_test')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('pts', id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteTestsOfFile(tx: Tx, workspaceId: string, file: string): Promise<void> {
  await tx.deleteFrom('policy_test').where('workspace_id', '=', uuidOfWorkspace(workspaceId)).where('file', '=', file).execute()
}

const tests = (db: Db, workspaceId: string) =>
  db.selectFrom('policy_test').where('workspace_id', '=', uuidOfWorkspace(workspaceId))

const definitionOf = ({ at, input, expect }: NamedDefinition): string => JSON.stringify({ at, ...(input && { input }), expect })

const toTest = ({ workspace_id: _, definition, ...row }: RowOf<'policy_test'>): StoredTest => ({
  ...fromRow(row),
  ...definition,
  id: toId('pts', row.id),
})
