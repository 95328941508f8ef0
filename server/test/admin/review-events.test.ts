import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, type Json } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)

interface Event {
  readonly event: string
  readonly data: Json
}

/** Opens the event stream of a Workspace. `next` returns the next event of any type. */
async function watch(workspace?: string, headers: Record<string, string> = asAdmin(governed.server.demo.admin_token)) {
  const { base } = governed.server
  const controller = new AbortController()
  const query = workspace === undefined ? '' : `?workspace=${workspace}`
  const response = await fetch(`${base}/admin/v1/reviews/events${query}`, { headers, signal: controller.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Event> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { value, done } = await reader.read()
        if (done) throw new Error('the stream has ended')
        text += value
        continue
      }
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/m.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (event) return { event, data: JSON.parse(data) }
    }
  }
  return { next, close: () => controller.abort() }
}

const asAdmin = (token: string) => ({ authorization: `Bearer ${token}` })

test('review events: a hold is sent when it opens and when it is decided, without content', async () => {
  const queue = await watch()
  expect(await queue.next()).toEqual({ event: 'reset', data: {} })
  const held = await governed.holdPrompt()
  const opened = await queue.next()
  expect(opened).toMatchObject({ event: 'review', data: { id: held.id, object: 'review_item', state: 'pending' } })
  expect(JSON.stringify(opened)).not.toContain(held.word)
  await governed.decide(held.id, 'deny')
  expect(await queue.next()).toMatchObject({ event: 'review', data: { id: held.id, state: 'denied' } })
  queue.close()
})

test('review events: none of another Workspace', async () => {
  const queue = await watch(await admin.workspace())
  expect(await queue.next()).toEqual({ event: 'reset', data: {} })
  await governed.holdPrompt()
  await governed.server.context.signal.publish('reviews', '')
  const silence = new Promise((resolve) => setTimeout(resolve, 500, 'silence'))
  expect(await Promise.race([queue.next(), silence])).toBe('silence')
  queue.close()
})

describe('review events: the stream ends', () => {
  const expectEnd = async (headers: Record<string, string>, revoke: () => Promise<unknown>) => {
    const [revoked, other] = [await watch(undefined, headers), await watch()]
    for (const queue of [revoked, other]) expect((await queue.next()).event).toBe('reset')
    await revoke()
    const startedAt = performance.now()
    await expect(revoked.next()).rejects.toThrow('the stream has ended')
    // Without the signal, the stream would end at the heartbeat after 15 s.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    const held = await governed.holdPrompt()
    expect(await other.next()).toMatchObject({ event: 'review', data: { id: held.id } })
    other.close()
    await governed.decide(held.id, 'deny')
  }

  test.each<[string, (reviewer: Awaited<ReturnType<typeof signInOperator>>) => Promise<unknown>]>([
    ['is deleted', ({ id }) => admin.remove(`/operators/${id}`)],
    ['gets another role', ({ id }) => admin.patch(`/operators/${id}`, { role: 'read_only' })],
    ['signs out', ({ browser }) => browser.post('/auth/sign-out')],
  ])('when the reviewer %s', async (_, revoke) => {
    const reviewer = await signInOperator(governed.server, 'reviewer')
    await expectEnd({ cookie: reviewer.browser.cookie }, () => revoke(reviewer))
  })

  test('when the admin token is revoked', async () => {
    const { id, token } = await admin.create('/tokens', { name: word(), scopes: ['reviews:read'] })
    await expectEnd(asAdmin(token), () => admin.post(`/tokens/${id}/revoke`))
  })
})

test('review item: marks give the position of each finding', async () => {
  const key = word()
  const text = `juniper-hold ${key}: write to jane.roe@brightwater.example.com`
  const { id } = await governed.holdPrompt(text)
  const { content, marks } = await admin.get(`/reviews/${id}`)
  const [mark] = marks.filter(({ type }: Json) => type === 'pii.email')
  expect(mark).toMatchObject({ message: 0, part: null })
  expect(content.messages[0].content.slice(mark.start, mark.end)).toBe('jane.roe@brightwater.example.com')
  await governed.decide(id, 'deny')
  expect(await admin.get(`/reviews/${id}`)).toMatchObject({ content: null, marks: [] })
})
