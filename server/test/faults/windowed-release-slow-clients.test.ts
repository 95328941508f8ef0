import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { contentOf, growingPrompt } from '../support/growing-provider.ts'
import { formatRequest } from '../support/raw-http.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, streamedRequest } from '../support/streamed-requests.ts'

// Windowed release to a client that stops reading. Connections that never read again are closed (http/stalled-clients.ts).

const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(100)
/** As events of any client API, the text is larger than the socket buffers of both sides. */
const PIECES = 400
/** In memory for one connection: one write of a piece of the text, and the socket's own buffer. */
const MOST_WAITING_BYTES = 1_048_576

let governed: Governed
let token: string
beforeAll(async () => {
  governed = await sharedGoverned()
  await governed.publish([{ id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }])
  token = (await governed.application({ settings: { release: 'windowed' } })).token
})

/** The server's side of the next connection. */
const nextConnection = (): Promise<Socket> => new Promise((resolve) => governed.server.app.server.once('connection', resolve))

/** Sends a request, and stops reading at the first bytes of its response until `rest`. */
function slowClient(request: string) {
  const { hostname, port } = new URL(governed.base)
  const client = connect(Number(port), hostname).setEncoding('utf8')
  client.write(request)
  let received = ''
  const auditId = new Promise<string>((resolve) => {
    client.on('data', (text: string) => {
      if (received === '') client.pause()
      received += text
      resolve(/^x-audit-id: (\S+)/im.exec(received)?.[1] ?? '')
    })
  })
  return {
    auditId,
    rest: async (): Promise<string> => {
      const closed = new Promise((resolve) => client.once('close', resolve))
      client.resume()
      await closed
      return received
    },
  }
}

/** The largest number of bytes that have waited in the connection. */
function watchWaiting(connection: Socket) {
  let most = 0
  const look = () => {
    most = Math.max(most, connection.writableLength)
  }
  const timer = setInterval(look, 5)
  return {
    most: (): number => {
      clearInterval(timer)
      look()
      return most
    },
  }
}

describe.each(CLIENT_APIS)('%s: client that stops reading [GW-WIN-1, GW-WIN-6]', (api) => {
  test('stream: provider is read to its end and the record is written before the client reads on, with bounded memory', async () => {
    const { prompt, asked } = growingPrompt(governed.provider)
    const accepted = nextConnection()
    const client = slowClient(formatRequest(streamedRequest({ api, prompt, token })))
    const [connection, upstream] = [await accepted, await asked]
    const waiting = watchWaiting(connection)
    for (let piece = 0; piece < PIECES; piece++) upstream.send(LONG)
    upstream.end()
    const auditId = await client.auditId
    await upstream.closed
    const recordOf = async () => expectSuccess(await governed.api('GET', `/v1/audit/${auditId}`, { token }))
    const record = await vi.waitFor(recordOf, 20_000)
    expect(record).toMatchObject({ status: 200, release: { mode: 'windowed' } })
    expect(waiting.most()).toBeLessThan(MOST_WAITING_BYTES)

    const received = await client.rest()
    const content = contentOf(received.slice(received.indexOf('\r\n\r\n')).replaceAll(/\r\n[0-9a-f]+\r\n/g, ''))
    expect(content.length).toBe(LONG.length * PIECES)
    const { characters } = record.release as unknown as { readonly characters: number }
    console.log(api, { characters, waiting: waiting.most(), received: received.length })
    expect(characters).toBeLessThan(content.length)
  })
})
