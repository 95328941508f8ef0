import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { cleanupsAfterEach } from '../support/nodes.ts'
import { adminOf, firstApiKey, measureStop, startOneNode } from '../support/one-node.ts'
import type { ScriptedProvider } from '../support/scripted-provider.ts'
import type { ServerProcess } from '../support/server-process.ts'

const cleanups = cleanupsAfterEach()

/** Sends a chat and reads only the head of the response. */
function slowReader(server: ServerProcess, body: object) {
  const text = JSON.stringify(body)
  const socket = connect(Number(new URL(server.base).port), '127.0.0.1')
  socket.on('error', () => {})
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: gatehouse\r\nAuthorization: Bearer ${firstApiKey(server)}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  let read = ''
  const auditId = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      read += chunk
      const found = /^x-audit-id: (\S+)/im.exec(read.slice(0, 8_192))?.[1]
      if (found === undefined && read.length <= 8_192) return
      if (found === undefined || !read.startsWith('HTTP/1.1 200')) reject(new Error(read.slice(0, 500)))
      else if (!reading) socket.pause()
      resolve(found ?? '')
    })
  })
  let reading = false
  /** Reads until the connection ends; `complete` is true if the complete response arrived. */
  const rest = async (): Promise<{ complete: boolean; received: number; announced: number }> => {
    reading = true
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    await closed
    const announced = Number(/^content-length: (\d+)/im.exec(read.slice(0, 8_192))?.[1])
    const received = Buffer.byteLength(read.slice(read.indexOf('\r\n\r\n') + 4))
    return { complete: received === announced, received, announced }
  }
  return { auditId, rest, close: () => socket.destroy() }
}

describe('server that gets a stop signal while a slow client reads', { timeout: 240_000 }, () => {
  /** Larger than the socket buffers of both sides. */
  const scriptLongCompletion = (provider: ScriptedProvider): void => {
    const message = { role: 'assistant', content: 'All of it is fine. '.repeat(400_000) }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const completion = JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'scripted', choices })
    provider.on('long-answer', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(completion))
  }
  const longAnswer = { model: 'scripted', messages: [{ role: 'user', content: 'long-answer' }] }

  test.each([
    ['a stream', true],
    ['a JSON answer', false],
  ])('serve: cut of %s is recorded when its reader is too slow for the drain', async (_, stream) => {
    const { server, provider, restart } = await startOneNode(cleanups, { GATEHOUSE_STOP_SECONDS: '0.5' })
    scriptLongCompletion(provider)
    const reader = slowReader(server, { ...longAnswer, stream })
    const auditId = await reader.auditId
    expect(await measureStop(server)).toBeLessThan(40_000)
    expect(server.own.child.exitCode).toBe(0)
    reader.close()

    const { data } = await adminOf(await restart()).get('/audit?status=503')
    expect(data).toMatchObject([{ error_code: 'UNAVAILABLE', change: { action: 'answer.cut', object_id: auditId } }])
  })

  test('serve: response is complete when its reader continues to read during the drain', async () => {
    const { server, provider } = await startOneNode(cleanups, { GATEHOUSE_STOP_SECONDS: '60' })
    scriptLongCompletion(provider)
    const reader = slowReader(server, longAnswer)
    await reader.auditId
    const ended = measureStop(server)
    while ((await server.readyz()) !== undefined) await sleep(20)
    await sleep(300)
    expect(await reader.rest()).toMatchObject({ complete: true })
    await ended
    expect(server.own.child.exitCode).toBe(0)
  })
})
