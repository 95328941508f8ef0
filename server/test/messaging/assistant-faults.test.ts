import { afterAll, describe, expect, test } from 'vitest'
import { noticeFor } from '../../src/domains/messaging/assistants/request-completion.ts'
import { takeTurn } from '../../src/domains/messaging/assistants/take-turn.ts'
import { claimTurns } from '../../src/domains/messaging/assistants/turn-store.ts'

import { MODEL, startAssistantFixture } from '../support/assistant-fixture.ts'

const fixture = await startAssistantFixture()
afterAll(() => fixture.governed.close())

describe('faults', () => {
  test('assistant: answers later when its Application has reached the rate limit', async () => {
    const { id } = await fixture.governed.application({ ...MODEL, limits: { requests_per_minute: 1, burst: 1 } })
    const busy = await fixture.createAssistant(id)
    const chat = await fixture.createDirect(busy)
    const [one, two] = [fixture.question(), fixture.question()]
    await chat.ask(one.text)
    expect((await chat.ask(two.text)).replies).toEqual([])
    expect(two.calls()).toEqual([])
    await fixture.governed.change(id, { limits: { requests_per_minute: 100_000, burst: 100 } })
    fixture.clock.advance(61_000)
    await fixture.idle()
    expect(await chat.texts()).toEqual([one.text, one.answer, two.text, two.answer])
  })

  test('assistant: says that it is no longer available when its Application is archived', async () => {
    const { id } = await fixture.governed.application(MODEL)
    const chat = await fixture.createDirect(await fixture.createAssistant(id))
    await fixture.admin.post(`/applications/${id}/archive`)
    const question = fixture.question()
    expect((await chat.ask(question.text)).replies).toMatchObject([{ message: 'This assistant is no longer available.' }])
    expect(question.calls()).toEqual([])
  })

  test.each([
    ['fails', 401, noticeFor('PROVIDER_ERROR')],
    ['refuses the question', 400, noticeFor('VALIDATION_ERROR', 'provider_refused')],
  ])('assistant: sends an explanation when the model %s', async (_, status, words) => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question('', '', (response) => void response.writeHead(status).end('no'))
    expect((await chat.ask(question.text)).replies).toMatchObject([{ message: words }])
  })

  test('assistant: answer is stored once when two workers process the same turn', async () => {
    const chat = await fixture.createDirect(fixture.helper)
    const question = fixture.question()
    const { context } = fixture.governed.server
    await context.assistants.close()
    const sent = await chat.send(question.text)
    const [first] = await claimTurns(fixture.db, fixture.clock.now(), 0, 1)
    const [second] = await claimTurns(fixture.db, new Date(fixture.clock.now().getTime() + 1), 60_000, 1)
    expect([first?.messageId, second?.messageId]).toEqual([sent.id, sent.id])
    if (!first || !second) throw new Error('no turn')
    await Promise.all([first, second].map((turn) => takeTurn(turn, AbortSignal.timeout(10_000), context)))
    expect(await chat.texts()).toEqual([question.text, question.answer])
    expect(await claimTurns(fixture.db, new Date(fixture.clock.now().getTime() + 3_600_000), 0, 1)).toEqual([])
  })
})
