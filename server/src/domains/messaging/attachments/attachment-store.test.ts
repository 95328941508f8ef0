import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { countWaitingFor } from '../../../../test/support/lock-waits.ts'
import { SEEDED_AT, seedConversation, seedMember, seedMessage } from '../../../../test/support/messaging-seed.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId, newId, newUuid, toId } from '../../../platform/lib/id.ts'
import { accepted } from '../../../shared/request-errors.ts'
import { deleteMessages } from '../messages/message-store.ts'
import type { Member } from '../people/member.ts'
import type { Attachment } from './attachment.ts'
import {
  countUnsentUploads,
  deleteAttachment,
  findAttachment,
  insertAttachment,
  listAttachments,
  removeUnsentUploads,
} from './attachment-store.ts'
import { claimFileKey, discardFile, newFileKey, removeDueFiles } from './file-removal.ts'
import { type FileStore, openFileStore } from './file-store.ts'
import { receiveFile } from './store-upload.ts'

const later = (ms: number): Date => new Date(SEEDED_AT.getTime() + ms)
const HOUR = 3_600_000

describe.each(testDatabases())('attachments on $name', async ({ name, open }) => {
  const folder = temporaryFolder()
  const files: FileStore = openFileStore({ kind: 'folder', path: folder })

  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const createMember = (workspace: string, id: string) => seedMember(database.db, workspace, id)
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from('bytes')
  }
  /** Stores a file and its row, as an upload does. */
  const upload = async (member: Member, createdAt = SEEDED_AT): Promise<Attachment> => {
    const place = await newFileKey(database.db, SEEDED_AT)
    const received = accepted(await receiveFile(bytes(), files.incoming, 100))
    await files.store(place, received)
    const content = { filename: 'a.txt', mediaType: 'text/plain', bytes: received.bytes, sha256: received.sha256, place }
    const attachment = {
      id: newId('att'),
      workspaceId: member.workspaceId,
      messageId: null,
      uploadedBy: member.user.id,
      ...content,
      createdAt,
    }
    await run(async (tx) => {
      expect(await claimFileKey(tx, place, SEEDED_AT)).toBe(true)
      await insertAttachment(tx, attachment)
    })
    return attachment
  }
  /** Sends a message from Ann to Ben and returns its id. */
  const createMessage = async (): Promise<string> =>
    seedMessage(database.db, ann, await seedConversation(database.db, ann, { contactId: ben.user.id }))
  const send = (attachment: Attachment, messageId: string) =>
    database.db
      .updateTable('message_attachment')
      .set({ message_id: uuidOf('msg', messageId) })
      .where('id', '=', uuidOf('att', attachment.id))
      .execute()
  const isOnDisk = ({ place }: Attachment): boolean => existsSync(join(folder, place))
  const deleteDueFiles = (now: Date) => removeDueFiles(database.db, files, now, 1_000)

  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)
  const [ann, ben] = await Promise.all([createMember(workspaceId, 'ann'), createMember(workspaceId, 'ben')])
  const otherAnn = await createMember((await seedWorkspace(database.db)).workspaceId, 'ann')

  test('attachments: visible to the uploader until they are sent, then to all members of the conversation', async () => {
    const { db } = database
    const attachment = await upload(ann)
    const visible = async () => Promise.all([ann, ben, otherAnn].map((member) => findAttachment(db, member, attachment.id)))
    expect(await visible()).toEqual([attachment, undefined, undefined])
    const messageId = await createMessage()
    await send(attachment, messageId)
    expect(await visible()).toEqual([{ ...attachment, messageId }, { ...attachment, messageId }, undefined])
    expect((await listAttachments(db, ben, { limit: 10 }))?.data).toEqual([])
    // Other tests share the database, and have a user ann too.
    const memberships = db.deleteFrom('conversation_member').where('workspace_id', '=', uuidOf('ws', ann.workspaceId))
    await memberships.where('user_id', '=', 'ann').execute()
    expect(await findAttachment(db, ann, attachment.id)).toBeUndefined()
    expect((await listAttachments(db, ann, { limit: 10 }))?.data).toEqual([])
  })

  test('attachments: unsent uploads are counted up to the limit', async () => {
    const cleo = await createMember(ann.workspaceId, newId('usr'))
    for (let i = 0; i < 3; i++) await upload(cleo)
    expect([await countUnsentUploads(database.db, cleo, 2), await countUnsentUploads(database.db, cleo, 9)]).toEqual([2, 3])
  })

  test('attachments: deleted once, with their bytes', async () => {
    const [attachment, other] = [await upload(ann), await upload(ann)]
    const remove = (removed: Attachment, member = ann) => run((tx) => deleteAttachment(tx, member, removed, SEEDED_AT))
    expect(await remove(attachment, otherAnn)).toBe('not_found')
    // `other` was sent after it was read, so it cannot be deleted as unsent.
    await send(other, await createMessage())
    expect([await remove(attachment), await remove(attachment), await remove(other)]).toEqual([
      'deleted',
      'not_found',
      'not_found',
    ])
    expect(isOnDisk(attachment)).toBe(true)
    await deleteDueFiles(SEEDED_AT)
    expect([isOnDisk(attachment), isOnDisk(other)]).toEqual([false, true])
  })

  test.runIf(name === 'postgresql')(
    'attachments: an update of their message that is deleted at the same time can lock them',
    async () => {
      const { db, pool } = database
      const attachment = await upload(ann)
      const messageId = await createMessage()
      await send(attachment, messageId)
      const [message, own] = [uuidOf('msg', messageId), uuidOf('att', attachment.id)]
      const { conversation_id } = await db
        .selectFrom('message')
        .select('conversation_id')
        .where('id', '=', message)
        .executeTakeFirstOrThrow()
      const updating = await pool.connect()
      try {
        await updating.query('begin')
        await updating.query('select from message where id = $1 for no key update', [message])
        const place = { workspaceId, conversationId: toId('conv', conversation_id) }
        const deleted = run((tx) => deleteMessages(tx, place, [messageId], SEEDED_AT))
        await expect.poll(() => countWaitingFor(pool, updating)).toBe(1)
        await updating.query("set local lock_timeout = '1s'")
        await updating.query('select from message_attachment where id = $1 for update', [own])
        await updating.query('commit')
        expect(await deleted).toEqual([messageId])
      } finally {
        updating.release(true)
      }
      expect(await findAttachment(db, ann, attachment.id)).toBeUndefined()
    },
  )

  test('attachments: unsent uploads are deleted, except files of held messages', async () => {
    const [old, held, young, sent] = [await upload(ben), await upload(ben), await upload(ben, later(HOUR)), await upload(ben)]
    const messageId = await createMessage()
    await send(sent, messageId)
    const item = await holdWith(held, messageId)
    await removeUnsentUploads(database.db, later(1), SEEDED_AT, 1_000)
    const existing = async () =>
      (await Promise.all([old, held, young, sent].map(({ id }) => rowOf(id)))).map((row) => row !== undefined)
    expect(await existing()).toEqual([false, true, true, true])
    expect(await run((tx) => deleteAttachment(tx, ben, held, SEEDED_AT))).toBe('held')
    await database.db.deleteFrom('review_item').where('id', '=', item).execute()
    await removeUnsentUploads(database.db, later(1), SEEDED_AT, 1_000)
    expect(await existing()).toEqual([false, false, true, true])
  })

  const rowOf = (id: string) =>
    database.db
      .selectFrom('message_attachment')
      .select('id')
      .where('id', '=', fromId('att', id) ?? null)
      .executeTakeFirst()

  /** Inserts a held message of Ben with a file and returns the UUID of its review item. */
  const holdWith = async (attachment: Attachment, messageId: string): Promise<string> => {
    const review = newUuid()
    const workspace = uuidOf('ws', ben.workspaceId)
    const { conversation_id } = await database.db
      .selectFrom('message')
      .select('conversation_id')
      .where('id', '=', uuidOf('msg', messageId))
      .executeTakeFirstOrThrow()
    const state = { kind: 'hold', state: 'pending', point: 'message', endpoint: 'message', user_id: 'ben' } as const
    const risk = { rules: '[]', findings: '{}', classification: 'internal', risk_level: 'low' } as const
    await database.db
      .insertInto('review_item')
      .values({
        id: review,
        workspace_id: workspace,
        ...state,
        ...risk,
        request_hash: Buffer.alloc(32),
        audit_id: newUuid(),
        created_at: SEEDED_AT,
        expires_at: later(HOUR),
      })
      .execute()
    await database.db
      .insertInto('held_message')
      .values({
        id: newUuid(),
        workspace_id: workspace,
        conversation_id,
        target_id: null,
        sender_id: 'ben',
        attachments: [uuidOf('att', attachment.id)],
        review_item_id: review,
        created_at: SEEDED_AT,
      })
      .execute()
    return review
  }

  test('attachments: a file without a row is deleted after an hour, and its key cannot be claimed then', async () => {
    const place = await newFileKey(database.db, SEEDED_AT)
    await files.store(place, accepted(await receiveFile(bytes(), files.incoming, 100)))
    await deleteDueFiles(later(HOUR - 1))
    expect(existsSync(join(folder, place))).toBe(true)
    expect(await run((tx) => claimFileKey(tx, place, later(HOUR)))).toBe(false)
    await deleteDueFiles(later(HOUR))
    expect(existsSync(join(folder, place))).toBe(false)
    expect(await run((tx) => claimFileKey(tx, place, SEEDED_AT))).toBe(false)
    const other = await newFileKey(database.db, SEEDED_AT)
    await discardFile(database.db, files, other)
    expect(await run((tx) => claimFileKey(tx, other, SEEDED_AT))).toBe(false)
  })

  test('file removal: other files are deleted when one fails, and the failed one is deleted later', async () => {
    const [failingFile, otherFile] = [await upload(ann), await upload(ann)]
    for (const attachment of [failingFile, otherFile]) await run((tx) => deleteAttachment(tx, ann, attachment, later(-HOUR)))
    const failingStore: FileStore = {
      ...files,
      remove: (key) => (key === failingFile.place ? Promise.reject(new Error('not available')) : files.remove(key)),
    }
    await expect(removeDueFiles(database.db, failingStore, SEEDED_AT, 1_000)).rejects.toThrow(/could not be deleted/)
    expect([isOnDisk(failingFile), isOnDisk(otherFile)]).toEqual([true, false])
    await deleteDueFiles(SEEDED_AT)
    expect(isOnDisk(failingFile)).toBe(false)
  })
})
