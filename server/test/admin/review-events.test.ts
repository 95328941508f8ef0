import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Governed, startGoverned } from '../support/governed.ts'
import { word } from '../support/scripted-provider.ts'
import { type Admin, adminClient, type Json } from './client.ts'

let governed: Governed
let admin: Admin
beforeAll(async () => {
  governed = await startGoverned()
  admin = adminClient(governed.server)
})
afterAll(() => governed.close())

interface Event {
  readonly event: string
  readonly data: Json
}

/** Reads the stream of a Workspace; `next` answers the next event, of whatever kind. */
async function watch(workspace?: string) {
  const { base, demo } = governed.server
  const leaving = new AbortController()
  const query = workspace === undefined ? '' : `?workspace=${workspace}`
  const response = await fetch(`${base}/admin/v1/reviews/events${query}`, {
    headers: { authorization: `Bearer ${demo.admin_token}` },
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

test('a reviewer sees a hold when it comes and when it is decided, without its content', async () => {
  const queue = await watch()
  expect(await queue.next()).toEqual({ event: 'reset', data: {} })
  const held = await governed.hold()
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
  await governed.hold()
  await governed.server.context.signal.publish('reviews', '')
  const silence = new Promise((resolve) => setTimeout(resolve, 500, 'silence'))
  expect(await Promise.race([queue.next(), silence])).toBe('silence')
  queue.leave()
})

test('what the detectors find in a held text is pointed at, place by place', async () => {
  const key = word()
  const text = `juniper-hold ${key}: write to jane.roe@brightwater.example.com`
  const { id } = await governed.hold(text)
  const { content, marks } = await admin.get(`/reviews/${id}`)
  const [mark] = marks.filter(({ type }: Json) => type === 'pii.email')
  expect(mark).toMatchObject({ message: 0, part: null })
  expect(content.messages[0].content.slice(mark.start, mark.end)).toBe('jane.roe@brightwater.example.com')
  await governed.decide(id, 'deny')
  expect(await admin.get(`/reviews/${id}`)).toMatchObject({ content: null, marks: [] })
})
