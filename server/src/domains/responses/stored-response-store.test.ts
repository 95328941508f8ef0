import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedOwner, transact } from '../../../test/support/reviews.ts'
import { TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import {
  deleteStoredResponse,
  eraseResponsesOfUser,
  findStoredResponse,
  listStoringApplications,
  loadConversation,
  removeExpiredResponses,
  storeResponse,
} from './stored-response-store.ts'

const BOX = secretBox(TEST_SECRET_KEY, 'response')
/** Far in the future, so that no job on the shared database removes the responses. */
const STORED_AT = new Date('2096-03-02T09:00:00Z')
const EXPIRED = new Date('2096-03-01T09:00:00Z')
const LIMITS = { expired: EXPIRED, maxBytes: 10_000, maxResponses: 10 }

const contentOf = (text: string) => ({ input: [{ role: 'user', content: text }], response: { output: [{ said: text }] } })

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const owner = { ...(await seedOwner(database.db)), userId: 'ann', isVerified: true }

  const store = async (text: string, previousId?: string, { by = owner, createdAt = STORED_AT, id = newId('resp') } = {}) => {
    const stored = { id, ...contentOf(text) }
    await transact(database.db, (tx) => storeResponse(tx, by, { stored, previousId, createdAt }, BOX))
    return id
  }
  const load = (id: string, limits: Partial<typeof LIMITS> = {}) =>
    loadConversation(database.db, owner, id, { ...LIMITS, ...limits }, BOX)
  const find = (id: string, { by = owner, expired = EXPIRED } = {}) => findStoredResponse(database.db, by, id, expired, BOX)

  test('stored response: is sealed, and cannot be opened when it is moved to another row [GW-RESP-17]', async () => {
    const [id, other] = [await store('marmalade'), await store('other')]
    const { rows } = await database.pool.query('select t::text, content from stored_response t where id = $1', [
      fromId('resp', id),
    ])
    expect(rows[0].t).not.toContain('marmalade')
    expect(rows[0].content.includes('marmalade')).toBe(false)
    await database.pool.query('update stored_response set content = $1 where id = $2', [rows[0].content, fromId('resp', other)])
    await expect(find(other)).rejects.toThrow()
  })
  test('stored response: keeps its content when it is stored again', async () => {
    const id = await store('first')
    await store('second', undefined, { id })
    expect((await find(id))?.content).toEqual(contentOf('first'))
  })
  test('conversation: is loaded oldest first, within its limits [GW-RESP-18]', async () => {
    const first = await store('one')
    const second = await store('two', first)
    const third = await store('three', second)
    expect(await load(third)).toEqual({ kind: 'found', contents: ['one', 'two', 'three'].map(contentOf) })
    expect(await load(third, { maxResponses: 3 })).toMatchObject({ kind: 'found' })
    expect(await load(third, { maxResponses: 2 })).toEqual({ kind: 'too_large' })
    const bytes = ['one', 'two', 'three'].reduce((sum, text) => sum + JSON.stringify(contentOf(text)).length, 0)
    expect(await load(third, { maxBytes: bytes })).toMatchObject({ kind: 'found' })
    expect(await load(third, { maxBytes: bytes - 1 })).toEqual({ kind: 'too_large' })
  })
  test('conversation: is missing when one of its responses is deleted, expired or of another owner [GW-RESP-21]', async () => {
    const first = await store('one')
    const second = await store('two', first)
    await transact(database.db, (tx) => deleteStoredResponse(tx, owner, first))
    expect(await load(second)).toEqual({ kind: 'missing' })
    const old = await store('old', undefined, { createdAt: EXPIRED })
    expect(await load(await store('new', old))).toEqual({ kind: 'missing' })
    for (const by of [
      { ...owner, userId: 'bob' },
      { ...owner, isVerified: false },
    ]) {
      const foreign = await store('foreign', undefined, { by })
      expect(await load(await store('own', foreign))).toEqual({ kind: 'missing' })
    }
  })
  test('expiry: an expired response cannot be read, and is removed in batches [GW-RESP-21]', async () => {
    const by = { ...(await seedOwner(database.db)), userId: '', isVerified: false }
    const ids = [await store('a', undefined, { by }), await store('b', undefined, { by })]
    const later = await store('c', undefined, { by, createdAt: new Date(STORED_AT.getTime() + 1) })
    expect(await find(ids[0] ?? '', { by, expired: STORED_AT })).toBeUndefined()
    const { workspaceId, applicationId } = by
    expect(await listStoringApplications(database.db)).toContainEqual({ workspaceId, applicationId })
    const remove = (limit: number) => removeExpiredResponses(database.db, by, STORED_AT, limit)
    expect([await remove(1), await remove(5), await remove(5)]).toEqual([1, 1, 0])
    expect(await find(later, { by })).toBeDefined()
  })
  test('erasure: removes the responses of one user of one Workspace [GW-RESP-21]', async () => {
    const by = { ...(await seedOwner(database.db)), userId: 'ann', isVerified: false }
    const [kept, other] = [await store('kept'), await store('other', undefined, { by: { ...by, userId: 'bob' } })]
    await store('a', undefined, { by })
    await store('b', undefined, { by: { ...by, isVerified: true } })
    expect(await transact(database.db, (tx) => eraseResponsesOfUser(tx, by.workspaceId, 'ann'))).toBe(2)
    expect(await find(kept)).toBeDefined()
    expect(await find(other, { by: { ...by, userId: 'bob' } })).toBeDefined()
  })
})
