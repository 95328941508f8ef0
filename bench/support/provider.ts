import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LONG_ANSWER, LONG_MODEL, SHORT_ANSWER } from './chat-bodies.ts'
import { serveHelper } from './helper-process.ts'

/** Completion of a provider that responds at once, so that only the gateway is measured. */
const answer = (content: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'mock-model',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 180, completion_tokens: 120, total_tokens: 300 },
    }),
  )
const [short, long] = [answer(SHORT_ANSWER), answer(LONG_ANSWER)]
const longModel = Buffer.from(`"model":"${LONG_MODEL}"`)

async function asksForLong(request: IncomingMessage): Promise<boolean> {
  let found = false
  for await (const chunk of request) found ||= (chunk as Buffer).includes(longModel)
  return found
}

const server = createServer(async (request, response) => {
  const body = (await asksForLong(request)) ? long : short
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => serveHelper((server.address() as AddressInfo).port))
