import { describe, expect, test, vi } from 'vitest'
import type { Json } from '../../admin/client.ts'
import { says, word } from '../../support/scripted-provider.ts'
import { messenger } from './shared-messenger.ts'

const { id: application } = await messenger.application({ default_model: 'scripted' })
const assistant = async () => {
  const { id, username } = await messenger.operator.create('/assistants', { username: word(), application_id: application })
  return { id, username }
}
const bot = await assistant()

const read = async (id: string): Promise<Json[]> => (await messenger.ann.get(`/messages?conversation_id=${id}&limit=100`)).data
const fromBot = async (id: string) => (await read(id)).filter(({ contact }) => contact.is_assistant)
const awaitReplies = (id: string, times = 1): Promise<Json[]> =>
  vi.waitFor(
    async () => {
      await messenger.server.context.assistants.run()
      const replies = await fromBot(id)
      expect(replies).toHaveLength(times)
      return replies
    },
    { timeout: 20_000 },
  )
/** Runs the assistants repeatedly, so that an unwanted reply would be written. */
const runAssistants = async () => {
  for (let times = 0; times < 3; times++) await messenger.server.context.assistants.run()
}

describe('assistants', () => {
  test('assistant: a contact with is_assistant true [MSG-ASSIST-1]', async () => {
    expect(await messenger.ann.get(`/contacts/${bot.id}`)).toMatchObject({
      id: bot.id,
      username: bot.username,
      is_assistant: true,
    })
  })
  test('assistant: replies once, by a normal message with governance.audit_id [MSG-ASSIST-1, MSG-ASSIST-2]', async () => {
    const { id } = await messenger.ann.create('/conversations', { contact_id: bot.id })
    const key = word()
    messenger.provider.on(key, says(`Heard ${key}`))
    const question = await messenger.say(id, `Tell me of ${key}`)
    const [reply] = await awaitReplies(id)
    expect(reply).toMatchObject({
      conversation_id: id,
      message: `Heard ${key}`,
      reply_to: question.id,
      contact: { id: bot.id },
      governance: { audit_id: expect.stringMatching(/^aud_/) },
    })
    await runAssistants()
    expect(await fromBot(id)).toHaveLength(1)
    expect(messenger.provider.callsWith(key)).toHaveLength(1)
    // The assistant's request to the model has its own audit record.
    const { data } = await messenger.operator.get('/audit?limit=20')
    expect(data.map(({ endpoint }: Json) => endpoint)).toContain('chat')
  })
  test('assistant: no reply to a denied or held message, and one reply to a repeated request', async () => {
    const { id } = await messenger.ann.create('/conversations', { contact_id: bot.id })
    for (const message of ['rowan-deny', 'rowan-hold']) {
      await messenger.ann.send('POST', '/messages', { conversation_id: id, message: `${message} ${word()}` })
    }
    await runAssistants()
    expect(await read(id)).toEqual([])
    const sending = { headers: { 'idempotency-key': word() } }
    const fields = { conversation_id: id, message: 'Good morning' }
    await Promise.all(Array.from({ length: 4 }, () => messenger.ann.send('POST', '/messages', fields, sending)))
    await awaitReplies(id)
    await runAssistants()
    expect(await fromBot(id)).toHaveLength(1)
  })
  test('assistant: replies in a group only when mentioned, and never to another assistant [MSG-ASSIST-3]', async () => {
    const other = await assistant()
    const contacts = [messenger.ben.id, bot.id, other.id]
    const { id: group } = await messenger.ann.create('/groups', { name: 'With two', contacts })
    const { id } = await messenger.ann.create('/conversations', { group_id: group })
    await messenger.say(id, 'Good morning all')
    await runAssistants()
    expect(await fromBot(id)).toEqual([])
    const key = word()
    messenger.provider.on(key, says(`Ask @${other.username} too`))
    await messenger.say(id, `@${bot.username} what of ${key}?`)
    const [reply] = await awaitReplies(id)
    expect(reply?.contact.id).toBe(bot.id)
    await runAssistants()
    expect(await fromBot(id)).toHaveLength(1)
  })
  test('assistant: explains a denied question in plain words and calls no model', async () => {
    const { id } = await messenger.ann.create('/conversations', { contact_id: bot.id })
    const key = word()
    await messenger.say(id, `juniper-deny ${key}`)
    const [reply] = await awaitReplies(id)
    expect(reply?.message).not.toContain(key)
    expect(messenger.provider.callsWith(key)).toEqual([])
  })
})
