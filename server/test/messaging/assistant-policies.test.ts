import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELD_NOTICE, noticeFor, requestCompletion } from '../../src/domains/messaging/assistants/request-completion.ts'
import { loadTurnContext } from '../../src/domains/messaging/assistants/turn-context.ts'
import { claimTurns } from '../../src/domains/messaging/assistants/turn-store.ts'
import { CONTRACTOR_RULE, startAssistantFixture } from '../support/assistant-fixture.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { word } from '../support/scripted-provider.ts'

const MESSAGE_RULES = [
  { id: 'teasel-deny', at: ['message'], when: 'content.text.contains("teasel-deny")', verdict: 'deny' },
  { id: 'teasel-hold', at: ['message'], when: 'content.text.contains("teasel-hold")', verdict: 'require_approval' },
]

const fixture = await startAssistantFixture()
afterAll(() => fixture.governed.close())

const findTurns = (text_: string) =>
  fixture.db
    .selectFrom('assistant_turn')
    .innerJoin('message', 'message.id', 'assistant_turn.message_id')
    .select(['state', 'message.text'])
    .execute()
    .then((rows) => rows.filter(({ text }) => text.includes(text_)))

describe('policies', () => {
  test('assistant: sends an explanation instead of the completion when the completion is denied', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question('', `sorrel-deny ${word()}`)
    const { replies } = await chat.ask(question.text)
    expect(replies).toMatchObject([{ message: noticeFor('POLICY_DENIED') }])
    expect(await chat.texts()).not.toContain(question.answer)
  })

  test.each([
    ['question', 'juniper-hold', undefined],
    ['answer', '', 'sorrel-hold'],
  ])('assistant: announces a held %s, and answers once when it is approved', async (_kind, mark, answer) => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question(mark, answer && `${answer} ${word()}`)
    const { sent, replies } = await chat.ask(question.text)
    expect(replies).toMatchObject([{ message: HELD_NOTICE, reply_to: null }])
    const id = await fixture.findPendingHold(chat.id)
    // The conversation continues while the hold is pending.
    const next = fixture.question()
    expect((await chat.ask(next.text)).replies).toMatchObject([{ message: next.answer }])
    await fixture.governed.decide(id, 'approve')
    await fixture.idle()
    await fixture.idle()
    const answers = (await chat.messages()).filter(({ reply_to }) => reply_to === sent.id)
    expect(answers).toMatchObject([{ message: question.answer }])
    expect(question.calls()).toHaveLength(1)
  })

  test('assistant: sends an explanation and calls no provider when a reviewer denies a held question', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question('juniper-hold')
    const { sent } = await chat.ask(question.text)
    await fixture.governed.decide(await fixture.findPendingHold(chat.id), 'deny')
    await fixture.idle()
    expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('POLICY_REVIEW_DENIED'), reply_to: sent.id })
    expect(question.calls()).toEqual([])
  })

  test('assistant: review item expires and the question is not answered when the held question is deleted', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question('juniper-hold')
    const { sent } = await chat.ask(question.text)
    const id = await fixture.findPendingHold(chat.id)
    expect(await fixture.admin.get(`/reviews/${id}`)).toMatchObject({ message_id: sent.id })
    await fixture.ann.remove(`/messages/${sent.id}`)
    expect(await fixture.admin.get(`/reviews/${id}`)).toMatchObject({ state: 'expired', content: null })
    await fixture.idle()
    expect(await chat.texts()).toEqual([HELD_NOTICE])
    expect(question.calls()).toEqual([])
  })

  test('assistant: stores an approved answer once without a second provider call when its worker dies before storing it', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question('juniper-hold')
    const { sent } = await chat.ask(question.text)
    const { context } = fixture.governed.server
    const resume = stopWorker()
    await fixture.governed.decide(await fixture.findPendingHold(chat.id), 'approve')
    const [turn] = await claimTurns(fixture.db, fixture.clock.now(), 1_000, 1)
    const turnContext = turn && (await loadTurnContext(fixture.db, turn))
    if (!turn || !turnContext) throw new Error('no turn')
    // The worker ends after the pipeline has written its record.
    expect(await requestCompletion(turn, turnContext, AbortSignal.timeout(10_000), context)).toMatchObject({
      text: question.answer,
    })
    fixture.clock.advance(2_000)
    resume()
    await fixture.idle()
    expect((await chat.messages()).filter(({ reply_to }) => reply_to === sent.id)).toMatchObject([{ message: question.answer }])
    expect(question.calls()).toHaveLength(1)
  })

  test('assistant: sends an explanation when a hold expires', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const { sent } = await chat.ask(fixture.question('juniper-brief').text)
    fixture.clock.advance(31_000)
    await fixture.idle()
    expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('REVIEW_HOLD_EXPIRED'), reply_to: sent.id })
  })

  describe('policies at the point message', () => {
    beforeAll(() => fixture.governed.publish([...MARKER_RULES, CONTRACTOR_RULE, ...MESSAGE_RULES]))
    afterAll(() => fixture.governed.publish([...MARKER_RULES, CONTRACTOR_RULE]))

    test('assistant: record of the message names the record of its completion, also when the question is denied', async () => {
      const chat = await fixture.createDirect(fixture.helper)
      for (const [text, verdict] of [
        ['', 'allow'],
        ['juniper-deny', 'deny'],
      ] as const) {
        const { replies } = await chat.ask(fixture.question(text).text)
        const records = await fixture.admin.records(20)
        const ofMessage = records.find(({ id }) => id === replies[0]?.governance.audit_id)
        expect(ofMessage).toMatchObject({ endpoint: 'message', decision: { verdict: 'allow' } })
        const exchange = records.find(({ id }) => id === ofMessage.features['message.exchange'])
        expect(exchange).toMatchObject({ endpoint: 'chat', decision: { verdict } })
      }
    })

    test('assistant: sends an explanation when a message policy denies its answer', async () => {
      const chat = await fixture.createDirect(fixture.helper)
      const question = fixture.question('', `teasel-deny ${word()}`)
      const { replies } = await chat.ask(question.text)
      expect(replies).toMatchObject([{ message: noticeFor('POLICY_DENIED') }])
      expect(await chat.texts()).not.toContain(question.answer)
      // The notice leads to the record of the denied answer, not to that of the request, which was allowed.
      const notice = await fixture.admin.get(`/audit/${replies[0]?.governance.audit_id}`)
      const cause = await fixture.admin.get(`/audit/${notice.features['message.exchange']}`)
      expect([cause.endpoint, cause.error_code, cause.decision.rules[0].id]).toEqual(['message', 'POLICY_DENIED', 'teasel-deny'])
    })

    test('assistant: stores a held answer once when a reviewer approves it', async () => {
      const chat = await fixture.createDirect(fixture.helper)
      const question = fixture.question('', `teasel-hold ${word()}`)
      expect((await chat.ask(question.text)).replies).toMatchObject([{ message: HELD_NOTICE }])
      await fixture.governed.decide(await fixture.findPendingHold(chat.id, 'message'), 'approve')
      await fixture.idle()
      expect(await chat.texts()).toEqual([question.text, HELD_NOTICE, question.answer])
      expect(await findTurns(question.text)).toEqual([])
    })

    test('assistant: sends an explanation when a reviewer denies its held answer', async () => {
      const chat = await fixture.createDirect(fixture.helper)
      const question = fixture.question('', `teasel-hold ${word()}`)
      const { sent } = await chat.ask(question.text)
      await fixture.governed.decide(await fixture.findPendingHold(chat.id, 'message'), 'deny')
      await fixture.idle()
      expect((await chat.messages()).at(-1)).toMatchObject({ message: noticeFor('POLICY_REVIEW_DENIED'), reply_to: sent.id })
      expect(await chat.texts()).not.toContain(question.answer)
    })
  })

  /** Stops the server's worker from taking turns. */
  function stopWorker(): () => void {
    const { assistants } = fixture.governed.server.context
    const { wake } = assistants
    assistants.wake = () => {}
    return () => {
      assistants.wake = wake
    }
  }
})
