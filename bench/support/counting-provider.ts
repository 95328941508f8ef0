import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { between, type Random } from './random.ts'

/** Identifies a request from client to provider. It has only letters, so that no detector finds it. */
const MARKER = /\bmark[a-z]{12}\b/

/** A provider on loopback that echoes and counts requests, also while the gateway restarts. */
export interface CountingProvider extends AsyncDisposable {
  readonly port: number
  /** Number of received requests with this marker. */
  calls(marker: string): number
}

/** Responses take up to 30 ms, so that some crashes happen during a provider request. */
export async function startCountingProvider(random: Random): Promise<CountingProvider> {
  const calls = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request) raw += chunk
    const marker = MARKER.exec(raw)?.[0] ?? ''
    calls.set(marker, (calls.get(marker) ?? 0) + 1)
    await sleep(between(random, 0, 30))
    const { messages, model } = JSON.parse(raw) as { messages: { content: string }[]; model: string }
    const content = `You said: ${messages.at(-1)?.content}`
    const answer = {
      id: `chatcmpl-${marker}-${calls.get(marker)}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    calls: (marker) => calls.get(marker) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
