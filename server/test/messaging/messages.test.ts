import { describe, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type Member } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben, cleo } = await createMembers(server, ['ann', 'ben', 'cleo'])
const chat = await ann.create('/conversations', { contact_id: ben.id })

const say = (member: Member, message: string, conversation = chat): Promise<Json> =>
  member.create('/messages', { conversation_id: conversation.id, message })
const idsIn = async (member: Member, query: string): Promise<string[]> =>
  (await member.get(`/messages?${query}`)).data.map(({ id }: Json) => id)

describe('list', () => {
  test('messages: list of all conversations shows each message once and in order when it is read in pages', async () => {
    const { dan, eve, fay } = await createMembers(server, ['dan', 'eve', 'fay'])
    const talks: Json[] = []
    for (const other of [eve, fay, eve, fay, eve, fay]) talks.push(await dan.create('/conversations', { contact_id: other.id }))
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.unshift((await say(dan, 'x', talks[(count * 5) % 4])).id)
    const emptied = [await say(dan, 'gone', talks[4]), await say(dan, 'gone', talks[5])]
    for (const { id } of emptied) await dan.remove(`/messages/${id}`)
    for (let count = 0; count < 5; count++) await dan.create('/conversations', { contact_id: eve.id })
    const seen: string[] = []
    for (let after = ''; ; after = `&starting_after=${seen.at(-1)}`) {
      const { data, has_more } = await dan.get(`/messages?limit=3${after}`)
      seen.push(...data.map(({ id }: Json) => id))
      expect(has_more).toBe(seen.length < 20)
      if (!has_more) break
    }
    expect(seen).toEqual(ids)
    expect(await idsIn(dan, `ending_before=${ids[9]}&limit=4`)).toEqual(ids.slice(5, 9))
    expect(await idsIn(dan, `ending_before=${ids[2]}&limit=4`)).toEqual(ids.slice(0, 2))
    const visibleToEve = new Set(await idsIn(eve, 'limit=100'))
    expect(visibleToEve.size).toBe(10)
    await eve.expectError('VALIDATION_ERROR', 'GET', `/messages?starting_after=${ids.find((id) => !visibleToEve.has(id))}`)
  })
})

describe('search', () => {
  test("search: finds messages with all words, newest first, in the user's own conversations only [MSG-MSG-11]", async () => {
    const term = word()
    const [one, two] = [await say(ann, `the ${term} of Zürich`), await say(ben, `Zürich without ${term.toUpperCase()}`)]
    const find = async (member: Member, q: string, more = '') =>
      (await member.get(`/messages/search?q=${encodeURIComponent(q)}${more}`)).data.map(({ id }: Json) => id)
    expect(await find(ann, term)).toEqual([two.id, one.id])
    expect(await find(ben, `${term} zürich the`)).toEqual([one.id])
    expect(await find(ben, `"of Zürich" ${term}`)).toEqual([one.id])
    expect(await find(ann, term, '&limit=1')).toEqual([two.id])
    expect(await find(ann, term, `&starting_after=${two.id}&conversation_id=${chat.id}`)).toEqual([one.id])
    expect(await find(cleo, term)).toEqual([])
    await ann.put(`/messages/${one.id}`, { message: 'other words' })
    expect(await find(ann, term)).toEqual([two.id])
    await cleo.expectError('NOT_FOUND', 'GET', `/messages/search?q=x&conversation_id=${chat.id}`)
    await ann.expectError('VALIDATION_ERROR', 'GET', '/messages/search')
    for (const q of ['!!! ((', "' & | <->", ':*', '-']) expect(await find(ann, q)).toEqual([])
  })

  test('search: pages through several conversations in both directions, with `or` and `-without` [MSG-MSG-11]', async () => {
    const [term, other] = [word(), word()]
    const second = await ann.create('/conversations', { contact_id: cleo.id })
    const sent: string[] = []
    for (let i = 0; i < 6; i++) {
      const place = i % 2 === 0 ? chat : second
      const text = i === 5 ? `${other} only` : i === 4 ? `${term} ${other}` : `${term} number ${i}`
      sent.unshift((await say(ann, text, place)).id)
    }
    const find = async (q: string, more = '') =>
      (await ann.get(`/messages/search?q=${encodeURIComponent(q)}${more}`)).data.map(({ id }: Json) => id)
    expect(await find(`${term} or ${other}`)).toEqual(sent)
    expect(await find(`${term} -${other}`)).toEqual(sent.slice(2))
    expect(await find(`${term} or ${other}`, `&limit=2&starting_after=${sent[1]}`)).toEqual(sent.slice(2, 4))
    expect(await find(`${term} or ${other}`, `&limit=2&ending_before=${sent[4]}`)).toEqual(sent.slice(2, 4))
  })

  test('search: text that contains the id of another conversation is not found by its members', async () => {
    const term = word()
    const uuid = fromId('conv', chat.id) ?? ''
    const second = await ann.create('/conversations', { contact_id: cleo.id })
    await say(ann, `${term} '${uuid}' ${uuid}`, second)
    expect((await ben.get(`/messages/search?q=${term}`)).data).toEqual([])
  })
})
