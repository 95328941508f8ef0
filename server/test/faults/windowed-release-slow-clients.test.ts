import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { MIN_RELEASE_WINDOW } from '../../src/shared/principal.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

// Windowed release to a client that stops reading. Those that never read again are disconnected (api/kit/connections.ts).

const PROSE = 'Good morning to all of you, and thank you for coming. '
const LONG = PROSE.repeat(100)
/** The text of all pieces is longer than a connection may hold in memory, but short enough to flow (MAX_CHARACTERS). */
const PIECES = 40
/** In memory for one connection: the socket's own buffer, and one piece of the text as events. */
const MOST_WAITING_BYTES = 1_000_000

const governed = await sharedGoverned()
await governed.publish([{ id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }])
const token = (await governed.application({ settings: { release: 'windowed' } })).token

/** A stream whose first text has left, and the server's side of its connection. `cork` has the effect of a client that stops reading. */
async function begin(api: ClientApi) {
  const { prompt, asked } = growingPrompt(governed.provider)
  const accepted = new Promise<Socket>((resolve) => {
    governed.server.app.server.once('request', ({ socket }: IncomingMessage) => resolve(socket))
  })
  const opened = openStream(governed.base, { api, prompt, token })
  const [connection, upstream] = [await accepted, await asked]
  upstream.send(LONG)
  const read = new ReadStream(await opened)
  await read.until(LONG.length / 2)
  return { connection, upstream, read }
}

describe.each(CLIENT_APIS)('%s: client that stops reading [GW-WIN-1, GW-WIN-6]', (api) => {
  test('stream: the provider is read to its end and the record is written, with little in memory, before the client reads on', async () => {
    const { connection, upstream, read } = await begin(api)
    connection.cork()
    for (let piece = 1; piece < PIECES; piece++) upstream.send(LONG)
    upstream.end()
    await upstream.closed
    const id = read.response.headers.get('x-audit-id')
    const recordOf = async () => expectSuccess(await governed.api('GET', `/v1/audit/${id}`, { token }))
    const record = await vi.waitFor(recordOf, 20_000)
    expect(record).toMatchObject({ status: 200, release: { mode: 'windowed' } })
    const { characters } = record.release as unknown as { readonly characters: number }
    expect(characters).toBeLessThan((LONG.length * PIECES) / 2)
    expect(connection.writableLength).toBeLessThan(MOST_WAITING_BYTES)

    connection.uncork()
    await read.rest()
    expect(read.content === LONG.repeat(PIECES)).toBe(true)
  })

  test('stream: text that had to wait leaves as soon as the client reads on, although the provider pauses', async () => {
    const { connection, upstream, read } = await begin(api)
    connection.cork()
    upstream.send(...Array.from({ length: PIECES - 1 }, () => LONG))
    await vi.waitFor(() => expect(connection.writableNeedDrain).toBe(true), 20_000)
    // The gateway has read all of it when it has read a request that the same provider has sent later.
    await governed.sendPrompt()
    connection.uncork()
    // The last scan may have been a sixteenth of the text ago.
    const settled = Math.floor(LONG.length * PIECES * (16 / 17)) - MIN_RELEASE_WINDOW - PROSE.length
    await read.until(settled)
    upstream.end()
    await read.rest()
    expect(read.content === LONG.repeat(PIECES)).toBe(true)
  })
})
