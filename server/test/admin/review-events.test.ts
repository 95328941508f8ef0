import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Governed } from '../support/governed.ts'
import { signInOperator } from '../support/operators.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { type Admin, adminClient, type Json } from './client.ts'

let governed: Governed
let admin: Admin
beforeAll(async () => {
  governed = await sharedGoverned()
  admin = adminClient(governed.server)
})
afterAll(() => governed.close())

interface Event {
  readonly event: string
  readonly data: Json
}

/** Reads the stream of a Workspace; `next` answers the next event, of whatever kind. */
async function watch(workspace?: string, headers: Record<string, string> = asAdmin(governed.server.demo.admin_token)) {
  const { base } = governed.server
  const leaving = new AbortController()
  const query = workspace === undefined ? '' : `?workspace=${workspace}`
  const response = await fetch(`${base}/admin/v1/reviews/events${query}`, {
    headers,
    signal: leaving.signal,
  })
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
  return { next, leave: () => leaving.abort() }
}

const asAdmin = (token: string) => ({ authorization: `Bearer ${token}` })

test('a reviewer sees a hold when it comes and when it is decided, without its content', async () => {
  const queue = await watch()
  expect(await queue.next()).toEqual({ event: 'reset', data: {} })
  const held = await governed.holdPrompt()
  const came = await queue.next()
  expect(came).toMatchObject({ event: 'review', data: { id: held.id, object: 'review_item', state: 'pending' } })
  expect(JSON.stringify(came)).not.toContain(held.word)
  await governed.decide(held.id, 'deny')
  expect(await queue.next()).toMatchObject({ event: 'review', data: { id: held.id, state: 'denied' } })
  queue.leave()
})

test('who watches another Workspace hears nothing of it', async () => {
  const queue = await watch(await admin.workspace())
  expect(await queue.next()).toEqual({ event: 'reset', data: {} })
  await governed.holdPrompt()
  await governed.server.context.signal.publish('reviews', '')
  const silence = new Promise((resolve) => setTimeout(resolve, 500, 'silence'))
  expect(await Promise.race([queue.next(), silence])).toBe('silence')
  queue.leave()
})

describe('a stream ends when its reader loses the right to it', () => {
  const ends = async (headers: Record<string, string>, loses: () => Promise<unknown>) => {
    const [lost, kept] = [await watch(undefined, headers), await watch()]
    for (const queue of [lost, kept]) expect((await queue.next()).event).toBe('reset')
    await loses()
    const since = performance.now()
    await expect(lost.next()).rejects.toThrow('the stream has ended')
    // With the heartbeat alone it would end after 15 s.
    expect(performance.now() - since).toBeLessThan(10_000)
    const held = await governed.holdPrompt()
    expect(await kept.next()).toMatchObject({ event: 'review', data: { id: held.id } })
    kept.leave()
    await governed.decide(held.id, 'deny')
  }

  test('a reviewer who is removed', async () => {
    const { id, browser } = await signInOperator(governed.server, 'reviewer')
    await ends({ cookie: browser.cookie }, () => admin.remove(`/operators/${id}`))
  })

  test('a reviewer who gets another role', async () => {
    const { id, browser } = await signInOperator(governed.server, 'reviewer')
    await ends({ cookie: browser.cookie }, () => admin.patch(`/operators/${id}`, { role: 'read_only' }))
  })

  test('a reviewer who signs out', async () => {
    const { browser } = await signInOperator(governed.server, 'reviewer')
    await ends({ cookie: browser.cookie }, () => browser.post('/auth/sign-out'))
  })

  test('a token that is revoked', async () => {
    const { id, token } = await admin.create('/tokens', { name: word(), scopes: ['reviews:read'] })
    await ends(asAdmin(token), () => admin.post(`/tokens/${id}/revoke`))
  })
})

test('what the detectors find in a held text is pointed at, place by place', async () => {
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
