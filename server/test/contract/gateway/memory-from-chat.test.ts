import { describe, expect, test } from 'vitest'
import { contentOf, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { completion as completionBody, json, says, word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { chat, MAIL, MARA, NOOR, recordOf, SECRET } from './retrieval-client.ts'

describe('memory: capture from a chat [GW-MEMC-13]', () => {
  test('explicit: “remember that …” is stored for the user and named in the record', async () => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const [about, user] = [word(), { user: { id: word() } }]
    const { response, completion } = await chat(memoryFixture, `Please remember that my locker is ${about}. What is next?`, user)
    expect(contentOf(response)).toBe(completion)
    const hits = await memoryFixture.hits(about, {}, user)
    expect(hits).toMatchObject([{ scope: 'user', content: `my locker is ${about}`, classification: 'internal' }])
    expect((await recordOf(memoryFixture, response)).remembered).toMatchObject([{ id: hits[0]?.memory_id, mode: 'active' }])
    expect(await memoryFixture.texts(about, {}, NOOR)).toEqual([])
  })
  test('explicit: stored for the session without a user, and not stored without a session', async () => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const topic = word()
    await chat(memoryFixture, `Remember that the locker is ${topic}.`, { session: 'morning' })
    expect(await memoryFixture.hits(topic, {}, { session: 'morning' })).toMatchObject([{ scope: 'session' }])
    expect(await memoryFixture.hits(topic, {}, { session: 'evening' })).toEqual([])
    const { response } = await chat(memoryFixture, `Remember that the locker is ${word()}.`)
    expect((await recordOf(memoryFixture, response)).remembered).toEqual([])
  })
  test.each([
    ['a question', 'Do you remember that my locker is QQ?'],
    ['a quote', 'She said: "remember that my locker is QQ".'],
    ['a message of the assistant', ''],
  ])('explicit, %s: nothing is stored', async (name, prompt) => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const topic = word()
    const messages = [
      { role: 'assistant', content: `Remember that my locker is ${topic}.` },
      { role: 'user', content: 'Good morning' },
    ]
    const governance = { user: { id: 'mara' } }
    const response = await governed.chat(
      name.startsWith('a message') ? messages : prompt.replace('QQ', topic),
      { governance },
      { token: memoryFixture.token },
    )
    expectSuccess(response)
    expect(await memoryFixture.texts(topic, {}, MARA)).toEqual([])
  })
  test.each([
    ['off', {}, '', {}],
    ['explicit, in a dry run', { capture: 'explicit' }, '', { dry_run: true }],
    ['explicit, denied', { capture: 'explicit' }, 'juniper-deny', {}],
    ['explicit, held', { capture: 'explicit' }, 'juniper-hold', {}],
    ['explicit, memory:off', { capture: 'explicit' }, 'juniper-memory-off', {}],
    ['explicit, denied at remember', { capture: 'explicit' }, 'damson-deny', {}],
    ['explicit, memory:off at remember', { capture: 'explicit' }, 'damson-off', {}],
    ['explicit, a secret', { capture: 'explicit' }, SECRET, {}],
  ])('%s: nothing is stored', async (_, memory, mark, governance) => {
    const memoryFixture = await createMemoryFixture(governed, memory)
    const topic = word()
    const { response } = await chat(memoryFixture, `Remember that my locker is ${topic} ${mark}.`, MARA, governance)
    expect((await recordOf(memoryFixture, response)).remembered).toEqual([])
    const { data } = expectSuccess(await governed.admin('GET', `/memories?application_id=${memoryFixture.id}`))
    expect(data).toEqual([])
  })
  test.each(['damson-deny', 'damson-broken'])('%s: the completion is returned', async (mark) => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const { response, completion } = await chat(memoryFixture, `Remember that my locker is ${mark}.`, MARA)
    expect(contentOf(response)).toBe(completion)
  })
  test.each(['juniper-memory-audit', 'damson-audit', 'damson-hold', 'damson-escalate'])(
    'explicit, %s: stored audit_only [GW-POL-11]',
    async (mark) => {
      const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
      const topic = word()
      const { response, completion } = await chat(memoryFixture, `Remember that my locker is ${topic} ${mark}.`, MARA)
      expect(contentOf(response)).toBe(completion)
      expect((await recordOf(memoryFixture, response)).remembered).toMatchObject([{ mode: 'audit_only' }])
      expect(await memoryFixture.texts(topic, {}, MARA)).toEqual([])
    },
  )
  test.each([
    ['sorrel-memory-off', 'memory:off', []],
    ['sorrel-memory-audit', 'memory:audit_only', [{ mode: 'audit_only' }]],
  ])('explicit, %s: a rule at output governs the stored memory', async (mark, directive, remembered) => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const topic = word()
    governed.provider.on(topic, says(`Noted, ${mark}.`))
    const response = await memoryFixture.chat(`Remember that my locker is ${topic}.`, MARA)
    expect(expectSuccess(response).governance.decision.directives).toEqual([directive])
    expect((await recordOf(memoryFixture, response)).remembered).toMatchObject(remembered)
    expect(await memoryFixture.texts(topic, {}, MARA)).toEqual([])
  })
  test('explicit: a held and approved chat stores once, also when it is sent again', async () => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    const [about, user] = [word(), { user: { id: word() } }]
    const { response, sentPrompt } = await chat(memoryFixture, `juniper-hold. Remember that my locker is ${about}.`, user)
    const { review_item_id } = expectError(response, 'POLICY_REVIEW_PENDING')
    await governed.decide(review_item_id, 'approve')
    for (let times = 0; times < 2; times++) expectSuccess(await memoryFixture.chat(sentPrompt, user, { review_item_id }))
    expect(await memoryFixture.hits(about, {}, user)).toHaveLength(1)
  })
  describe('extract', () => {
    /** Sends a chat of an Application with extraction. Its model returns `notes` for the extraction. */
    async function chatWithExtraction(notes: unknown, { prompt = 'Good morning', reply = '', user = { id: word() } } = {}) {
      const memoryFixture = await createMemoryFixture(governed, { capture: 'extract' })
      const key = word()
      governed.provider.on(key, (response, call) => {
        const isExtraction = call.raw.includes('<conversation>')
        json(
          response,
          200,
          completionBody(isExtraction ? (typeof notes === 'string' ? notes : JSON.stringify(notes)) : `Noted: ${key}${reply}`),
        )
      })
      const response = await memoryFixture.chat(`${prompt} ${key}`, { user })
      return { memoryFixture, response, user: { user }, key, upstreamRequests: governed.provider.callsWith(key) }
    }
    test("extract: the Application's model extracts memories of the user, and the record has the call", async () => {
      const topic = word()
      const notes = [{ content: `The user prefers ${topic}.`, kind: 'preference', subject: 'colour' }]
      const { memoryFixture, response, user, key, upstreamRequests } = await chatWithExtraction(notes)
      expect(contentOf(response)).toBe(`Noted: ${key}`)
      expect(upstreamRequests).toHaveLength(2)
      expect(upstreamRequests[1]?.body.model).toBe('scripted')
      expect(await memoryFixture.hits(topic, {}, user)).toMatchObject([
        { scope: 'user', kind: 'preference', content: `The user prefers ${topic}.` },
      ])
      const record = await recordOf(memoryFixture, response)
      expect(record.attempts).toHaveLength(2)
      expect(record.remembered).toHaveLength(1)
    })
    test.each([
      ['prose', 'The user prefers tea.'],
      ['an unknown kind', [{ content: 'The user prefers tea.', kind: 'opinion' }]],
      ['an object', { content: 'The user prefers tea.', kind: 'fact' }],
      ['nothing', []],
      ['a secret', [{ content: `The key is ${SECRET}`, kind: 'fact' }]],
      ['a secret in the subject', [{ content: 'The user has a key.', kind: 'fact', subject: `key ${SECRET}` }]],
      ['a subject that a rule denies', [{ content: 'The user has a key.', kind: 'fact', subject: 'damson-deny' }]],
      ['content that a rule denies', [{ content: 'damson-deny', kind: 'fact' }]],
    ])('%s: nothing is stored, and the completion is returned', async (_, notes) => {
      const { memoryFixture, response, key } = await chatWithExtraction(notes)
      expect(contentOf(response)).toBe(`Noted: ${key}`)
      expect((await recordOf(memoryFixture, response)).remembered).toEqual([])
    })
    test('extract: nothing is stored when the model fails, and the completion is returned', async () => {
      const memoryFixture = await createMemoryFixture(governed, { capture: 'extract' })
      const key = word()
      governed.provider.on(key, (response, call) =>
        call.raw.includes('<conversation>') ? json(response, 500, {}) : says('fine')(response, call),
      )
      expect(contentOf(await memoryFixture.chat(key, MARA))).toBe('fine')
    })
    test('extract: findings in a subject raise the classification, and transforms change it', async () => {
      const notes = [{ content: 'The user has a damson-redact friend.', kind: 'fact', subject: `friend ${MAIL}` }]
      const { user } = await chatWithExtraction(notes)
      const { data } = expectSuccess(await governed.admin('GET', `/memories?user_id=${user.user.id}`))
      expect(data).toMatchObject([{ classification: 'confidential', source: 'extract' }])
      expect(JSON.stringify(data)).not.toContain(MAIL)
    })
    test('extract: the model gets the completion after the output transforms', async () => {
      const { upstreamRequests, response } = await chatWithExtraction([], { reply: ` sorrel-redact ${MAIL}` })
      expect(contentOf(response)).toContain('[EMAIL]')
      expect(upstreamRequests).toHaveLength(2)
      expect(upstreamRequests[1]?.raw).toContain('[EMAIL]')
      expect(upstreamRequests[1]?.raw).not.toContain(MAIL)
    })
    test('extract: originals of pseudonyms reach no provider', async () => {
      const { upstreamRequests, response } = await chatWithExtraction([], {
        prompt: `juniper-pseudonymize ${MAIL}`,
        reply: ' for <EMAIL_1>',
      })
      expect(contentOf(response)).toContain(MAIL)
      expect(upstreamRequests).toHaveLength(2)
      expect(upstreamRequests[1]?.body.messages.at(-1)?.content).toContain('for \\u003cEMAIL_1>')
      expect(upstreamRequests[1]?.raw).not.toContain(MAIL)
    })
    test("extract: no model gets a completion above the Application's maximum classification", async () => {
      const memoryFixture = await createMemoryFixture(governed, { capture: 'extract' }, { ceiling: 'internal' })
      const key = word()
      governed.provider.on(key, says(`Write to ${MAIL}`))
      expect(contentOf(await memoryFixture.chat(key, MARA))).toBe(`Write to ${MAIL}`)
      expect(governed.provider.callsWith(key)).toHaveLength(1)
    })
    test('extract: labels are the strictest of the sources', async () => {
      const topic = word()
      const notes = [{ content: `The user looks into ${topic}.`, kind: 'fact' }]
      const { memoryFixture, user } = await chatWithExtraction(notes, { prompt: 'juniper-class-confidential' })
      const { data } = expectSuccess(await governed.admin('GET', `/memories?user_id=${user.user.id}`))
      expect(data).toMatchObject([{ classification: 'confidential', source: 'extract' }])
      expect(await memoryFixture.texts(topic, {}, user)).toEqual([])
    })
  })
})
