import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, contentOf, expectSuccess, type ResponseBody } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { postChat } from '../support/nodes.ts'
import { formatRequest } from '../support/raw-http.ts'
import { says, word } from '../support/scripted-provider.ts'

const governed = await closeAfterAll(startGoverned())

const request = (content: string, more: object = {}): string =>
  formatRequest({
    path: CHAT,
    headers: { authorization: `Bearer ${governed.key()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content }], ...more }),
  })

/** Sends a request and disconnects when `when` is true. Returns the received text. */
async function hangUp(text: string, when: (received: string) => boolean | Promise<boolean>): Promise<string> {
  const { hostname, port } = new URL(governed.base)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
    // Without this check a fast server would send the rest before the next look.
    if (when(received) === true) socket.resetAndDestroy()
  })
  socket.on('error', () => {})
  socket.write(text)
  await vi.waitFor(async () => expect(await when(received)).toBe(true), { timeout: 20_000, interval: 5 })
  socket.resetAndDestroy()
  return received
}

const records = async (): Promise<readonly ResponseBody[]> => {
  const { rows } = await governed.server.context.database.pool.query(
    "select body from audit_record where endpoint = 'chat' order by sequence",
  )
  return rows.map(({ body }) => JSON.parse(body))
}
const waitForValue = (figure: () => number, expected: number) =>
  vi.waitFor(() => expect(figure()).toBe(expected), { timeout: 20_000, interval: 20 })
const connections = (): Promise<number> =>
  new Promise((resolve) => governed.server.app.server.getConnections((_error, count) => resolve(count)))

describe('client that disconnects', () => {
  test('disconnect: provider call ends and the request is recorded when the client leaves during the call [API-ERR-15]', async () => {
    const before = (await records()).length
    const key = word()
    let hungUp = false
    governed.provider.on(key, (response, call) => {
      response.on('close', () => {
        hungUp = true
      })
      setTimeout(() => says('too late')(response, call), 60_000).unref()
    })
    await hangUp(request(key), () => governed.provider.callsWith(key).length > 0)
    await vi.waitFor(async () => expect((await records()).length).toBe(before + 1), 20_000)
    expect((await records()).at(-1)).toMatchObject({
      status: 499,
      error_code: 'CLIENT_CLOSED_REQUEST',
      endpoint: 'chat',
      attempts: [{ outcome: 'aborted' }],
    })
    await vi.waitFor(() => expect(hungUp).toBe(true), 20_000)
  })
  test('disconnect: stream ends and the record stays when the client leaves during the stream [GW-SSE-9]', async () => {
    const key = word()
    governed.provider.on(key, says('some words that go on '.repeat(60_000)))
    const received = await hangUp(request(key, { stream: true }), (text) => text.includes('"delta":{"content"'))
    expect(received).not.toContain('[DONE]')
    const auditId = /"audit_id":"(aud_\w+)"/.exec(received)?.[1] ?? ''
    expect(await governed.record(auditId)).toMatchObject({ status: 200 })
  })
  test('disconnect: waiting ends and the hold stays when the client leaves while it waits for a reviewer', async () => {
    const { context } = governed.server
    const prompt = `juniper-hold ${word()}`
    await hangUp(request(prompt, { governance: { wait_for_approval_seconds: 60 } }), () => context.waiters.size === 1)
    await waitForValue(() => context.waiters.size, 0)
    const held = await governed.chat(prompt)
    await governed.decide(held.body.error.review_item_id, 'approve')
    expectSuccess(await governed.resubmit({ prompt, id: held.body.error.review_item_id }))
  })
  test('disconnect: nothing is recorded when the client leaves while it sends the request', async () => {
    const { id, token } = await governed.application()
    const text = request('incomplete').replace(governed.key(), token)
    await hangUp(text.slice(0, -20), async () => await sleep(50, true))
    await sleep(50)
    expect((await records()).filter(({ application_id }) => application_id === id)).toEqual([])
  })
  test('disconnect: connection, concurrency slot and queued record are freed when the client leaves', async () => {
    const { id, token } = await governed.application({ limits: { concurrency: 3 } })
    const key = word()
    governed.provider.on(key, (response, call) => setTimeout(() => says('late')(response, call), 100))
    const text = request(key).replace(governed.key(), token)
    await Promise.all([1, 2, 3].map((count) => hangUp(text, () => governed.provider.callsWith(key).length >= count)))
    await waitForValue(() => governed.server.context.audit.waiting, 0)
    await vi.waitFor(async () => {
      const responses = await Promise.all([1, 2, 3].map(() => governed.chat('Good morning', {}, { token })))
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    }, 20_000)
    expect(id).toMatch(/^app_/)
    await vi.waitFor(async () => expect(await connections()).toBeLessThan(20), 20_000)
  })
  test('disconnect: the next request succeeds when 100 clients leave at random times', async () => {
    const key = word()
    governed.provider.on(key, says('some words that go on '.repeat(2_000)))
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const until = performance.now() + ((i * 7) % 90)
        return hangUp(request(key, { stream: i % 2 === 0 }), () => performance.now() > until)
      }),
    )
    const sentPrompt = await governed.sendPrompt()
    expect(contentOf(sentPrompt.response)).toBe(sentPrompt.answer)
    expect(governed.server.logs()).not.toMatch(/"level":(50|60)/)
  })
  test('slow reader: client gets the whole stream when it reads slowly', async () => {
    const key = word()
    const text = 'some words that go on '.repeat(60_000)
    governed.provider.on(key, says(text))
    const response = await postChat(governed.base, governed.key(), key, { stream: true })
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      if (bytes === 0) await sleep(300)
      bytes += chunk.length
    }
    expect(bytes).toBeGreaterThan(text.length)
  })
})
