import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELD_NOTICE, noticeFor } from '../../src/messaging/assistants/notices.ts'
import { requestCompletion } from '../../src/messaging/assistants/request-completion.ts'
import { takeTurn } from '../../src/messaging/assistants/take-turn.ts'
import { loadTurnContext } from '../../src/messaging/assistants/turn-context.ts'
import { claimTurns } from '../../src/messaging/assistants/turn-store.ts'
import { type Admin, adminClient, type Json } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { type ProviderCall, says, word } from '../support/scripted-provider.ts'
import { createMembers, type Member, unlimitedRate } from './client.ts'

type Behaviour = ReturnType<typeof says>

const MODEL = { default_model: 'scripted' }
const AT_MESSAGE = [
  { id: 'teasel-deny', at: ['message'], when: 'content.text.contains("teasel-deny")', verdict: 'deny' },
  { id: 'teasel-hold', at: ['message'], when: 'content.text.contains("teasel-hold")', verdict: 'require_approval' },
]
const BY_READER = {
  id: 'by-reader',
  at: ['retrieve'],
  when: 'content.text.contains("burdock") && user.role == "contractor"',
  verdict: 'deny',
}

const clock = adjustableClock()
let governed: Governed
let admin: Admin
let ann: Member
let ben: Member
let helper: Json
beforeAll(async () => {
  governed = await startGoverned({}, { clock, userRateLimiter: unlimitedRate() })
  governed.provider.on('Please look into', scripted)
  admin = adminClient(governed.server)
  ;({ ann, ben } = await createMembers(governed.server, ['ann', 'ben']))
  await governed.publish([...MARKER_RULES, BY_READER])
  helper = await assistant((await governed.application(MODEL)).id)
})
afterAll(() => governed.close())

const assistant = (applicationId: string | undefined): Promise<Json> =>
  admin.create('/assistants', { username: word(), application_id: applicationId })
const idle = () => governed.server.context.assistants.idle()
const db = () => governed.server.context.db

/** A direct conversation with an assistant, and what is done in it. */
async function chatWith(who: Json, from: Member = ann) {
  const { id } = await from.create('/conversations', { contact_id: who.id })
  return conversationOf(id, from)
}

async function groupOf(...others: { id: string }[]) {
  const group = await ann.create('/groups', { name: word(), contacts: others.map(({ id }) => id) })
  const { id } = await ann.create('/conversations', { group_id: group.id })
  return conversationOf(id, ann)
}

const conversationOf = (id: string, from: Member) => {
  const messages = async (): Promise<Json[]> => (await from.get(`/messages?limit=100&conversation_id=${id}`)).data.reverse()
  const send = (message: string, who = from): Promise<Json> => who.create('/messages', { conversation_id: id, message })
  return {
    id,
    send,
    messages,
    texts: async (): Promise<string[]> => (await messages()).map(({ message }) => message),
    /** Sends, and waits for what comes of it: everything after the message. */
    ask: async (message: string, who = from) => {
      const sent = await send(message, who)
      await idle()
      const all = await messages()
      return { sent, said: all.slice(all.findIndex(({ id: one }) => one === sent.id) + 1) }
    },
  }
}

/** What the model answers, by a word of the last message: earlier ones are told again with every question. */
const scripts = new Map<string, Behaviour>()
const scripted: Behaviour = (response, call) => {
  const [, script] = [...scripts].find(([key]) => lastOf(call).includes(key)) ?? []
  return (script ?? says('Nothing to note.'))(response, call)
}
const lastOf = ({ body }: ProviderCall): string => body.messages.at(-1)?.content ?? ''

/** A question that the model answers with a text of its own. */
function question(mark = '', answer = `Noted: ${word()} ${word()}.`, behaviour: Behaviour = says(answer)) {
  const key = word()
  scripts.set(key, behaviour)
  const calls = () => governed.provider.calls.filter((call) => lastOf(call).includes(key))
  return { text: `Please look into ${key} ${mark}`.trim(), answer, calls }
}

const turnOf = (messageId: string) =>
  db()
    .selectFrom('assistant_turn')
    .innerJoin('message', 'message.id', 'assistant_turn.message_id')
    .select(['state', 'message.text'])
    .execute()
    .then((rows) => rows.filter(({ text }) => text.includes(messageId)))

const eventsOf = async (type: string, conversationId: string): Promise<Json[]> => {
  const columns = ['audience', 'payload'] as const
  const outbox = await db().selectFrom('event_outbox').select(columns).where('type', '=', type).execute()
  const log = await db().selectFrom('event_log').select(columns).where('type', '=', type).execute()
  return [...log, ...outbox].filter(({ payload }) => (payload as Json).conversation_id === conversationId)
}

test('traceparent: upstream request has the header of the answered message, and none when that message had none', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const chat = await chatWith(helper)
  const [traced, plain] = [word(), word()]
  for (const [key, headers] of [
    [traced, { traceparent }],
    [plain, {}],
  ] as const) {
    await ann.create('/messages', { conversation_id: chat.id, message: `Please look into ${key}` }, { headers })
  }
  await idle()
  const headersOf = (key: string) => governed.provider.calls.find((call) => lastOf(call).includes(key))?.headers
  expect(headersOf(traced)).toMatchObject({ traceparent })
  expect(headersOf(plain)).not.toHaveProperty('traceparent')
})

describe('direct conversation', () => {
  test('assistant: answers a message once, with a message that names the question and its audit record', async () => {
    const chat = await chatWith(helper)
    const { text, answer, calls } = question()
    const { sent, said } = await chat.ask(text)
    expect(said).toHaveLength(1)
    expect(said[0]).toMatchObject({
      message: answer,
      reply_to: sent.id,
      contact: { id: helper.id, is_assistant: true },
      governance: { audit_id: expect.stringMatching(/^aud_/) },
      updated_at: null,
    })
    expect(calls()).toHaveLength(1)
    await idle()
    expect(await chat.texts()).toEqual([text, answer])
    const [record] = (await admin.records(20)).filter(({ id }) => id === said[0]?.governance.audit_id)
    expect(record).toMatchObject({
      endpoint: 'chat',
      application_id: helper.application_id,
      user: { verified: true },
      status: 200,
      features: { 'request.message_count': 1 },
    })
    expect(record.features['request.session']).not.toBe('')
  })

  test('assistant: other members get a typing event when the assistant writes [MSG-EVENT-1]', async () => {
    const chat = await chatWith(helper)
    await chat.ask(question().text)
    expect(await eventsOf('assistant.typing', chat.id)).toEqual([
      { audience: [ann.id], payload: { conversation_id: chat.id, contact_id: helper.id } },
    ])
  })

  test('assistant: model gets the earlier messages in order and with their roles when the conversation continues', async () => {
    const chat = await chatWith(helper)
    const [one, two] = [question(), question()]
    await chat.send(one.text)
    await chat.ask(two.text)
    const all = await chat.messages()
    expect(all.map(({ message }) => message)).toEqual([one.text, two.text, one.answer, two.answer])
    expect(two.calls()[0]?.body.messages).toEqual([
      { role: 'user', content: one.text },
      { role: 'assistant', content: one.answer },
      { role: 'user', content: two.text },
    ])
  })

  test('assistant: model gets only the newest messages when the history exceeds the token budget', async () => {
    const chat = await chatWith(helper)
    for (let i = 0; i < 3; i++) await chat.ask(`${question().text} ${'much to read '.repeat(600)}`)
    const last = question()
    await chat.ask(last.text)
    const told = last.calls()[0]?.body.messages ?? []
    expect(told.at(-1)?.content).toBe(last.text)
    expect(told.length).toBeGreaterThan(1)
    expect(JSON.stringify(told).length).toBeLessThan(4 * 4_500)
  })

  test('assistant: does not answer when it is not a member of the conversation', async () => {
    const { id } = await ann.create('/conversations', { contact_id: ben.id })
    const { said } = await conversationOf(id, ann).ask(`@${helper.username} ${question().text}`)
    expect(said).toEqual([])
  })

  test('assistant: does not answer when the message is deleted before the completion arrives', async () => {
    const chat = await chatWith(helper)
    const { promise: deleted, resolve } = Promise.withResolvers<void>()
    const { text, calls } = question('', 'Too late.', (...exchange) => void deleted.then(() => says('Too late.')(...exchange)))
    const { id } = await chat.send(text)
    await expect.poll(() => calls().length).toBe(1)
    await ann.remove(`/messages/${id}`)
    resolve()
    await idle()
    expect(await chat.texts()).toEqual([])
  })
})

describe('group conversation', () => {
  test('assistant: answers in a group only when it is mentioned, and the model gets the names of the senders', async () => {
    const room = await groupOf(ben, helper)
    const silent = question()
    expect((await room.ask(silent.text, ben)).said).toEqual([])
    const asked = question(`@${helper.username}`)
    const { sent, said } = await room.ask(asked.text)
    expect(said).toMatchObject([{ message: asked.answer, reply_to: sent.id }])
    expect(asked.calls()[0]?.body.messages).toEqual([
      { role: 'user', content: `${ben.id}: ${silent.text}` },
      { role: 'user', content: `${ann.id}: ${asked.text}` },
    ])
  })

  test('assistant: does not answer when an assistant mentions it', async () => {
    const other = await assistant(helper.application_id)
    const room = await groupOf(helper, other)
    const asked = question(`@${helper.username}`, `Ask @${other.username} and @${helper.username} about it.`)
    const { said } = await room.ask(asked.text)
    await idle()
    expect(said).toMatchObject([{ contact: { id: helper.id }, message: asked.answer }])
    expect(await room.texts()).toEqual([asked.text, asked.answer])
  })
})

describe('knowledge', () => {
  test('assistant: uses only documents that the sender may see, or in a group only those that all members may see', async () => {
    const fact = word()
    const knowledgeFixture = await createKnowledgeFixture(governed, {
      application: MODEL,
      collection: { acl: { roles: ['lead'] } },
    })
    await knowledgeFixture.put(`The lantern of ${fact} is kept in the eastern hall.`)
    const keeper = await assistant(knowledgeFixture.id)
    const [cleo, dora] = await Promise.all(['cleo', 'dora'].map((name) => createMembers(governed.server, [name])))
    const [lead, second] = [cleo?.cleo, dora?.dora] as [Member, Member]
    for (const { id } of [lead, second]) await admin.patch(`/users/${id}`, { role: 'lead' })
    const knows = async (chat: { ask: (text: string, who: Member) => Promise<unknown> }, who: Member) => {
      const asked = question(`@${keeper.username} where is the lantern kept?`)
      await chat.ask(asked.text, who)
      expect(asked.calls()).toHaveLength(1)
      return asked.calls()[0]?.raw.includes(fact)
    }
    const inGroup = async (...members: Member[]) => {
      const group = await lead.create('/groups', { name: word(), contacts: [...members, keeper].map(({ id }) => id) })
      return conversationOf((await lead.create('/conversations', { group_id: group.id })).id, lead)
    }
    expect(await knows(await chatWith(keeper, lead), lead)).toBe(true)
    expect(await knows(await chatWith(keeper, ann), ann)).toBe(false)
    expect(await knows(await inGroup(second), lead)).toBe(true)
    expect(await knows(await inGroup(second, ann), lead)).toBe(false)
  })

  test('assistant: does not use a document in a group when a policy denies it to one member', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed, { application: MODEL })
    const fact = word()
    await knowledgeFixture.put(`The burdock of ${fact} grows behind the mill.`)
    const keeper = await assistant(knowledgeFixture.id)
    const { gil } = await createMembers(governed.server, ['gil'])
    await admin.patch(`/users/${gil.id}`, { role: 'contractor' })
    const knows = async (chat: Awaited<ReturnType<typeof groupOf>>) => {
      const asked = question(`@${keeper.username} where does the burdock grow?`)
      await chat.ask(asked.text)
      return asked.calls()[0]?.raw.includes(fact)
    }
    expect(await knows(await groupOf(ben, keeper))).toBe(true)
    expect(await knows(await groupOf(ben, gil, keeper))).toBe(false)
  })
})

describe('policies', () => {
  test('assistant: sends one explanation when the question is denied, and answers the next question', async () => {
    const chat = await chatWith(helper)
    const asked = question('juniper-deny')
    const { sent, said } = await chat.ask(asked.text)
    expect(said).toMatchObject([{ message: noticeFor('POLICY_DENIED'), reply_to: sent.id, governance: { audit_id: /aud_/ } }])
    expect(asked.calls()).toEqual([])
    const next = question()
    expect((await chat.ask(next.text)).said).toMatchObject([{ message: next.answer }])
    expect(next.calls()[0]?.body.messages).toEqual([{ role: 'user', content: next.text }])
  })

  test('assistant: sends an explanation instead of the completion when the completion is denied', async () => {
    const chat = await chatWith(helper)
    const asked = question('', `sorrel-deny ${word()}`)
    const { said } = await chat.ask(asked.text)
    expect(said).toMatchObject([{ message: noticeFor('POLICY_DENIED') }])
    expect(await chat.texts()).not.toContain(asked.answer)
  })

  test.each([
    ['question', 'juniper-hold', undefined],
    ['answer', '', 'sorrel-hold'],
  ])('assistant: announces a held %s, and answers once when it is approved', async (_what, mark, answer) => {
    const chat = await chatWith(helper)
    const asked = question(mark, answer && `${answer} ${word()}`)
    const { sent, said } = await chat.ask(asked.text)
    expect(said).toMatchObject([{ message: HELD_NOTICE, reply_to: null }])
    const id = await reviewOf(chat.id)
    // Meanwhile the conversation goes on.
    const next = question()
    expect((await chat.ask(next.text)).said).toMatchObject([{ message: next.answer }])
    await governed.decide(id, 'approve')
    await idle()
    await idle()
    const replies = (await chat.messages()).filter(({ reply_to }) => reply_to === sent.id)
    expect(replies).toMatchObject([{ message: asked.answer }])
    expect(asked.calls()).toHaveLength(1)
  })

  test('assistant: sends an explanation and calls no provider when a reviewer denies a held question', async () => {
    const chat = await chatWith(helper)
    const asked = question('juniper-hold')
    const { sent } = await chat.ask(asked.text)
    await governed.decide(await reviewOf(chat.id), 'deny')
    await idle()
    expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('POLICY_REVIEW_DENIED'), reply_to: sent.id })
    expect(asked.calls()).toEqual([])
  })

  test('assistant: review item expires and the question is not answered when the held question is deleted', async () => {
    const chat = await chatWith(helper)
    const asked = question('juniper-hold')
    const { sent } = await chat.ask(asked.text)
    const id = await reviewOf(chat.id)
    expect(await admin.get(`/reviews/${id}`)).toMatchObject({ message_id: sent.id })
    await ann.remove(`/messages/${sent.id}`)
    expect(await admin.get(`/reviews/${id}`)).toMatchObject({ state: 'expired', content: null })
    await idle()
    expect(await chat.texts()).toEqual([HELD_NOTICE])
    expect(asked.calls()).toEqual([])
  })

  test('assistant: stores an approved answer once without a second provider call when its worker dies before storing it', async () => {
    const chat = await chatWith(helper)
    const asked = question('juniper-hold')
    const { sent } = await chat.ask(asked.text)
    const { context } = governed.server
    const resume = stopWorker()
    await governed.decide(await reviewOf(chat.id), 'approve')
    const [turn] = await claimTurns(db(), clock.now(), 1_000, 1)
    const turnContext = turn && (await loadTurnContext(db(), turn))
    if (!turn || !turnContext) throw new Error('no turn')
    // As far as the pipeline's record; then it is as if the process had ended.
    expect(await requestCompletion(turn, turnContext, AbortSignal.timeout(10_000), context)).toMatchObject({ text: asked.answer })
    clock.advance(2_000)
    resume()
    await idle()
    expect((await chat.messages()).filter(({ reply_to }) => reply_to === sent.id)).toMatchObject([{ message: asked.answer }])
    expect(asked.calls()).toHaveLength(1)
  })

  test('assistant: sends an explanation when a hold expires', async () => {
    const chat = await chatWith(helper)
    const { sent } = await chat.ask(question('juniper-brief').text)
    clock.advance(31_000)
    await idle()
    expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('REVIEW_HOLD_EXPIRED'), reply_to: sent.id })
  })

  describe('policies at the point message', () => {
    beforeAll(() => governed.publish([...MARKER_RULES, BY_READER, ...AT_MESSAGE]))
    afterAll(() => governed.publish([...MARKER_RULES, BY_READER]))

    test('assistant: record of the message names the record of its completion, also when the question is denied', async () => {
      const chat = await chatWith(helper)
      for (const [text, verdict] of [
        ['', 'allow'],
        ['juniper-deny', 'deny'],
      ] as const) {
        const { said } = await chat.ask(question(text).text)
        const records = await admin.records(20)
        const ofMessage = records.find(({ id }) => id === said[0]?.governance.audit_id)
        expect(ofMessage).toMatchObject({ endpoint: 'message', decision: { verdict: 'allow' } })
        const exchange = records.find(({ id }) => id === ofMessage.features['message.exchange'])
        expect(exchange).toMatchObject({ endpoint: 'chat', decision: { verdict } })
      }
    })

    test('assistant: sends an explanation when a message policy denies its answer', async () => {
      const chat = await chatWith(helper)
      const asked = question('', `teasel-deny ${word()}`)
      expect((await chat.ask(asked.text)).said).toMatchObject([{ message: noticeFor('POLICY_DENIED') }])
      expect(await chat.texts()).not.toContain(asked.answer)
    })

    test('assistant: stores a held answer once when a reviewer approves it', async () => {
      const chat = await chatWith(helper)
      const asked = question('', `teasel-hold ${word()}`)
      expect((await chat.ask(asked.text)).said).toMatchObject([{ message: HELD_NOTICE }])
      await governed.decide(await reviewOf(chat.id, 'message'), 'approve')
      await idle()
      expect(await chat.texts()).toEqual([asked.text, HELD_NOTICE, asked.answer])
      expect(await turnOf(asked.text)).toEqual([])
    })

    test('assistant: sends an explanation when a reviewer denies its held answer', async () => {
      const chat = await chatWith(helper)
      const asked = question('', `teasel-hold ${word()}`)
      const { sent } = await chat.ask(asked.text)
      await governed.decide(await reviewOf(chat.id, 'message'), 'deny')
      await idle()
      expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('POLICY_REVIEW_DENIED'), reply_to: sent.id })
      expect(await chat.texts()).not.toContain(asked.answer)
    })
  })

  /** Keeps the server's own worker from taking turns. */
  function stopWorker(): () => void {
    const { assistants } = governed.server.context
    const { wake } = assistants
    assistants.wake = () => {}
    return () => {
      assistants.wake = wake
    }
  }

  /** The hold that is pending for a conversation. */
  async function reviewOf(conversationId: string, endpoint = 'chat'): Promise<string> {
    const { data } = await admin.get('/reviews?state=pending&kind=hold&limit=100')
    const ids = data.filter((item: Json) => item.session_id === conversationId && item.endpoint === endpoint)
    expect(ids).toHaveLength(1)
    return ids[0].id
  }
})

describe('faults', () => {
  test('assistant: answers later when its Application has reached the rate limit', async () => {
    const { id } = await governed.application({ ...MODEL, limits: { requests_per_minute: 1, burst: 1 } })
    const busy = await assistant(id)
    const chat = await chatWith(busy)
    const [one, two] = [question(), question()]
    await chat.ask(one.text)
    expect((await chat.ask(two.text)).said).toEqual([])
    expect(two.calls()).toEqual([])
    await governed.change(id, { limits: { requests_per_minute: 100_000, burst: 100 } })
    clock.advance(61_000)
    await idle()
    expect(await chat.texts()).toEqual([one.text, one.answer, two.text, two.answer])
  })

  test.each([
    ['fails', 401, noticeFor('PROVIDER_ERROR')],
    ['refuses the question', 400, noticeFor('VALIDATION_ERROR', 'provider_refused')],
  ])('assistant: sends an explanation when the model %s', async (_, status, words) => {
    const chat = await chatWith(helper)
    const asked = question('', '', (response) => void response.writeHead(status).end('no'))
    expect((await chat.ask(asked.text)).said).toMatchObject([{ message: words }])
  })

  test('assistant: answer is stored once when two workers process the same turn', async () => {
    const chat = await chatWith(helper)
    const asked = question()
    const { context } = governed.server
    await context.assistants.close()
    const sent = await chat.send(asked.text)
    const [first] = await claimTurns(db(), clock.now(), 0, 1)
    const [second] = await claimTurns(db(), new Date(clock.now().getTime() + 1), 60_000, 1)
    expect([first?.messageId, second?.messageId]).toEqual([sent.id, sent.id])
    if (!first || !second) throw new Error('no turn')
    await Promise.all([first, second].map((turn) => takeTurn(turn, AbortSignal.timeout(10_000), context)))
    expect(await chat.texts()).toEqual([asked.text, asked.answer])
    expect(await claimTurns(db(), new Date(clock.now().getTime() + 3_600_000), 0, 1)).toEqual([])
  })
})
