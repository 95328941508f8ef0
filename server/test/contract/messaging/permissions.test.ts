import { describe, expect, test } from 'vitest'
import { listTables } from '../../support/list-tables.ts'
import { word } from '../../support/scripted-provider.ts'
import { messenger } from './shared-messenger.ts'

describe('permissions', () => {
  test('update: 403 for text and attachments unless the caller is the sender; reactions are open to members [MSG-MSG-6, API-ERR-6]', async () => {
    const { id } = await messenger.say(await messenger.direct())
    for (const fields of [{ message: 'x' }, { attachments: [] }, { message: 'x', reactions: { heart: ['y'] } }]) {
      await messenger.ben.expectError('FORBIDDEN', 'PUT', `/messages/${id}`, fields)
    }
    const reacted = await messenger.ben.put(`/messages/${id}`, { reactions: { heart: ['y'] } })
    expect(reacted.reactions).toEqual([{ heart: ['y'] }])
  })
  test('delete a message: only its sender in a direct conversation [MSG-MSG-7]', async () => {
    const { id } = await messenger.say(await messenger.direct())
    await messenger.ben.expectError('FORBIDDEN', 'DELETE', `/messages/${id}`)
    await messenger.ann.remove(`/messages/${id}`)
  })
  test("delete a message in a group: its sender or the group's owner [MSG-MSG-7]", async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const [one, two] = await messenger.sayAll(conversation, ['1', '2'], messenger.ben)
    await messenger.cleo.expectError('FORBIDDEN', 'DELETE', `/messages/${one.id}`)
    await messenger.ann.remove(`/messages/${one.id}`)
    await messenger.ben.remove(`/messages/${two.id}`)
  })
  test("delete a conversation: either member of a direct one, the owner of a group's [MSG-CONV-11]", async () => {
    await messenger.ben.remove(`/conversations/${await messenger.direct()}`)
    const { conversation } = await messenger.group(messenger.ann, messenger.ben)
    await messenger.ben.expectError('FORBIDDEN', 'DELETE', `/conversations/${conversation}`)
    await messenger.ann.remove(`/conversations/${conversation}`)
    await messenger.ben.expectError('NOT_FOUND', 'GET', `/conversations/${conversation}`)
  })
  test('membership: ends when a user leaves the group, starts when a user joins [MSG-CONV-6, MSG-MSG-5]', async () => {
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    const { id } = await messenger.say(conversation, 'before', messenger.ben)
    await messenger.ann.post(`/groups/${group}/contacts`, { contact_id: messenger.cleo.id })
    expect(await messenger.texts(conversation, messenger.cleo)).toEqual(['before'])
    expect((await messenger.cleo.get(`/conversations/${conversation}`)).unread_count).toBe(0)
    await messenger.ben.remove(`/groups/${group}/contacts/${messenger.ben.id}`)
    const requests = [
      ['GET', `/conversations/${conversation}`, undefined],
      ['GET', `/messages/${id}`, undefined],
      ['PUT', `/messages/${id}`, { message: 'after' }],
      ['DELETE', `/messages/${id}`, undefined],
      ['POST', '/messages', { conversation_id: conversation, message: 'x' }],
    ] as const
    for (const [method, path, fields] of requests) await messenger.ben.expectError('NOT_FOUND', method, path, fields)
  })
})

describe('delete', () => {
  test('delete: leaves no text in the database, and hashes in the audit log [MSG-MSG-7]', async () => {
    const id = await messenger.direct()
    const [secret, other] = [word(), word()]
    const { id: message } = await messenger.say(id, `first ${secret}`)
    await messenger.ann.put(`/messages/${message}`, { message: `second ${secret}`, reactions: { [`r-${secret}`]: [secret] } })
    await messenger.say(id, `third ${other}`)
    await messenger.server.context.relay.run()
    await messenger.ann.remove(`/messages/${message}`)
    await messenger.server.context.relay.run()
    expect(await tablesWith(secret)).toEqual([])
    expect(await tablesWith(other)).toContain('message')
    await messenger.ann.remove(`/conversations/${id}`)
    await messenger.server.context.relay.run()
    expect(await tablesWith(other)).toEqual([])
  })
})

/** Names of the tables that hold the text. */
async function tablesWith(text: string): Promise<string[]> {
  const { pool } = messenger.server.context.database
  const found: string[] = []
  for (const name of await listTables(pool)) {
    const { rows: hits } = await pool.query(`select 1 from "${name}" t where position($1 in row_to_json(t)::text) > 0 limit 1`, [
      text,
    ])
    if (hits.length > 0) found.push(name)
  }
  return found
}
