import { describe, expect, test, vi } from 'vitest'
import type { Detector } from '../../src/domains/classification/detector.ts'
import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { uuidOf } from '../../src/platform/db/values.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'
import { growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { postChat } from '../support/nodes.ts'
import { CLIENT_APIS, openStream } from '../support/streamed-requests.ts'
import { withoutRecords } from '../support/without-records.ts'

const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)

/** The error event of each API. */
const CUT = {
  chat: /^data: \{"error":/,
  responses: /^event: error\ndata: \{"type":"error","sequence_number":/,
  messages: /^event: error\ndata: \{"type":"error","error":\{/,
}

/** A detector that fails on a word. */
const fragile: Detector = {
  name: 'fragile',
  reach: 20,
  find: (text) => {
    if (text.includes('walnut')) throw new Error('a detector that quotes walnut')
  },
}

const governed = await closeAfterAll(startGoverned({}, { detectors: [...DETECTORS, fragile] }))
await governed.publish([{ id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }])
const token = (await governed.application({ settings: { release: 'windowed' } })).token

/** A stream whose first text has left. */
async function begin() {
  const { prompt, asked } = growingPrompt(governed.provider)
  const opened = postChat(governed.base, token, prompt, { stream: true })
  const upstream = await asked
  upstream.send(LONG)
  const read = new ReadStream(await opened)
  await read.until(LONG.length / 2)
  return { upstream, read }
}

describe('fault after text has left [GW-WIN-4]', () => {
  test('detector: the stream ends with the denial when it fails in mid-stream', async () => {
    const { upstream, read } = await begin()
    upstream.send('A walnut. ', LONG)
    upstream.end()
    const text = await read.rest()
    expect(text).not.toContain('walnut')
    expect(LONG.startsWith(read.content)).toBe(true)
    expect(read.events.at(-1)).toMatchObject({ error: { code: 'POLICY_DENIED', details: { failed: ['detector:fragile'] } } })
  })

  test('audit: the stream ends with an error, and no further text leaves, when the record cannot be written', async () => {
    const { pool } = governed.server.context.database
    const { upstream, read } = await begin()
    await withoutRecords(pool, async () => {
      upstream.send('The last words.')
      upstream.end()
      expect(await read.rest()).not.toContain('The last words.')
      expect(read.events.at(-1)).toMatchObject({ error: { code: 'UNAVAILABLE' } })
      expect(read.text).not.toContain('[DONE]')
    })
  })

  test.each(CLIENT_APIS)('server: a stream that the stop cuts ends with the error event of %s', async (api) => {
    const { prompt, asked } = growingPrompt(governed.provider)
    const opened = openStream(governed.base, { api, prompt, token })
    const upstream = await asked
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    await read.until(LONG.length / 2)
    await governed.server.context.drain.cut()
    const events = (await read.rest()).trim().split('\n\n')
    expect(events.at(-1)).toMatch(CUT[api])
    expect(events.at(-1)).toContain('"code":"UNAVAILABLE"')
    await upstream.closed
  })

  test('server: the stream ends with an error when the server stops', async () => {
    const { upstream, read } = await begin()
    governed.server.context.shutdown.abort()
    await upstream.closed
    await read.rest()
    expect(read.events.at(-1)).toMatchObject({ error: { code: 'UNAVAILABLE' } })
  })

  test('server: a chat that arrives after the stop has ended all work gets 503, and is recorded when its key is known', async () => {
    governed.server.context.shutdown.abort()
    const refused = async () => {
      const response = await postChat(governed.base, token, 'hello')
      await response.arrayBuffer()
      expect(response.status).toBe(503)
      // The first chats find that the key has to be looked up again.
      expect(response.headers.get('x-audit-id')).not.toBeNull()
      return response.headers.get('x-audit-id') ?? ''
    }
    const id = await vi.waitFor(refused, { timeout: 20_000, interval: 20 })
    const { rows } = await governed.server.context.database.pool.query('select status from audit_record where id = $1', [
      uuidOf('aud', id),
    ])
    expect(rows).toEqual([{ status: 503 }])
  })
})
