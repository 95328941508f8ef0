import { afterAll, describe, expect, test } from 'vitest'
import { lastMessage, startAssistantFixture } from '../support/assistant-fixture.ts'
import { findEmittedEvents } from '../support/emitted-events.ts'
import { says, word } from '../support/scripted-provider.ts'

const fixture = await startAssistantFixture()
afterAll(() => fixture.governed.close())

test('traceparent: upstream request has the header of the answered message, and none when that message had none', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const chat = await fixture.createDirect(fixture.helper)
  const [traced, plain] = [word(), word()]
  for (const [key, headers] of [
    [traced, { traceparent }],
    [plain, {}],
  ] as const) {
    await fixture.ann.create('/messages', { conversation_id: chat.id, message: `Please look into ${key}` }, { headers })
  }
  await fixture.idle()
  const headersOf = (key: string) => fixture.governed.provider.calls.find((call) => lastMessage(call).includes(key))?.headers
  expect(headersOf(traced)).toMatchObject({ traceparent })
  expect(headersOf(plain)).not.toHaveProperty('traceparent')
})

describe('direct conversation', () => {
  test('assistant: answers a message once, with a message that names the question and its audit record', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const { text, answer, calls } = fixture.question()
    const { sent, replies } = await chat.ask(text)
    expect(replies).toHaveLength(1)
    expect(replies[0]).toMatchObject({
      message: answer,
      reply_to: sent.id,
      contact: { id: fixture.helper.id, is_assistant: true },
      governance: { audit_id: expect.stringMatching(/^aud_/) },
      updated_at: null,
    })
    expect(calls()).toHaveLength(1)
    await fixture.idle()
    expect(await chat.texts()).toEqual([text, answer])
    const [record] = (await fixture.admin.records(20)).filter(({ id }) => id === replies[0]?.governance.audit_id)
    expect(record).toMatchObject({
      endpoint: 'chat',
      application_id: fixture.helper.application_id,
      user: { verified: true },
      status: 200,
      features: { 'request.message_count': 1 },
    })
    expect(record.features['request.session']).not.toBe('')
  })

  test('assistant: other members get a typing event when the assistant writes [MSG-EVENT-1]', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    await chat.ask(fixture.question().text)
    const typing = (await findEmittedEvents(fixture.db, 'assistant.typing')).filter(
      ({ payload }) => payload.conversation_id === chat.id,
    )
    expect(typing).toMatchObject([
      { audience: [fixture.ann.id], payload: { conversation_id: chat.id, contact_id: fixture.helper.id } },
    ])
  })

  test('assistant: model gets the earlier messages in order and with their roles when the conversation continues', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    // The first answer arrives after the second question.
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const one = fixture.question('', 'Soon.', (...exchange) => void asked.then(() => says('Soon.')(...exchange)))
    const two = fixture.question()
    await chat.send(one.text)
    await chat.send(two.text)
    resolve()
    await fixture.idle()
    const all = await chat.messages()
    expect(all.map(({ message }) => message)).toEqual([one.text, two.text, one.answer, two.answer])
    expect(two.calls()[0]?.body.messages).toEqual([
      { role: 'user', content: one.text },
      { role: 'assistant', content: one.answer },
      { role: 'user', content: two.text },
    ])
  })

  test('assistant: model gets only the newest messages when the history exceeds the token budget', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    for (let i = 0; i < 3; i++) await chat.ask(`${fixture.question().text} ${'much to read '.repeat(600)}`)
    const last = fixture.question()
    await chat.ask(last.text)
    const told = last.calls()[0]?.body.messages ?? []
    expect(told.at(-1)?.content).toBe(last.text)
    expect(told.length).toBeGreaterThan(1)
    expect(JSON.stringify(told).length).toBeLessThan(4 * 4_500)
  })

  test('assistant: does not answer when it is not a member of the conversation', async () => {
    const { id } = await fixture.ann.create('/conversations', { contact_id: fixture.ben.id })
    const { replies } = await fixture
      .openConversation(id, fixture.ann)
      .ask(`@${fixture.helper.username} ${fixture.question().text}`)
    expect(replies).toEqual([])
  })

  test('assistant: does not answer when the message is deleted before the completion arrives', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const { promise: deleted, resolve } = Promise.withResolvers<void>()
    const { text, calls } = fixture.question(
      '',
      'Too late.',
      (...exchange) => void deleted.then(() => says('Too late.')(...exchange)),
    )
    const { id } = await chat.send(text)
    await expect.poll(() => calls().length).toBe(1)
    await fixture.ann.remove(`/messages/${id}`)
    resolve()
    await fixture.idle()
    expect(await chat.texts()).toEqual([])
  })
})

describe('group conversation', () => {
  test('assistant: answers in a group only when it is mentioned, and the model gets the names of the senders', async () => {
    const room = await fixture.createGroup(fixture.ben, fixture.helper)
    const silent = fixture.question()
    expect((await room.ask(silent.text, fixture.ben)).replies).toEqual([])
    const question = fixture.question(`@${fixture.helper.username}`)
    const { sent, replies } = await room.ask(question.text)
    expect(replies).toMatchObject([{ message: question.answer, reply_to: sent.id }])
    expect(question.calls()[0]?.body.messages).toEqual([
      { role: 'user', content: `${fixture.ben.id}: ${silent.text}` },
      { role: 'user', content: `${fixture.ann.id}: ${question.text}` },
    ])
  })

  test('assistant: does not answer when an assistant mentions it', async () => {
    const other = await fixture.createAssistant(fixture.helper.application_id)
    const room = await fixture.createGroup(fixture.helper, other)
    const question = fixture.question(
      `@${fixture.helper.username}`,
      `Ask @${other.username} and @${fixture.helper.username} about it.`,
    )
    const { replies } = await room.ask(question.text)
    await fixture.idle()
    expect(replies).toMatchObject([{ contact: { id: fixture.helper.id }, message: question.answer }])
    expect(await room.texts()).toEqual([question.text, question.answer])
  })
})
