import { expectSuccess, type GatewayResponse } from './gateway-client.ts'
import { word } from './scripted-provider.ts'
import { CLIENTS, type ClientApi, VERSION } from './streamed-requests.ts'
import { startThreeUpstreams, type UpstreamModel } from './three-upstreams.ts'

export type Body = Readonly<Record<string, unknown>>

const CHUNK = { id: 'c1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm' }

/** A chunk of a chat stream with one choice. */
export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...CHUNK,
  choices: [{ index: 0, delta, finish_reason, ...more }],
})
export const usageChunk = (usage: object) => ({ ...CHUNK, choices: [], usage })

/** Three providers whose responses are sent to the letter, with prices of 1, 4 and 0.1 USD a million tokens. */
export async function startProviderAnswers() {
  const upstreams = await startThreeUpstreams()
  const { governed } = upstreams
  const { token } = await governed.application({ settings: { extensions: ['tools', 'content_parts'] } })
  const json = { input_price: 1, output_price: 4, cache_read_price: 0.1 }
  expectSuccess(await governed.admin('PUT', '/providers/openai/models/scripted', { json }))
  expectSuccess(await governed.admin('PUT', '/providers/anthropic/models/claude', { json }))
  expectSuccess(await governed.admin('PUT', '/providers/responses/models/gpt', { json: { ...json, api: 'responses' } }))
  const post = (path: string, json: object): Promise<GatewayResponse> =>
    governed.api('POST', path, { token, json, headers: VERSION })
  return {
    post,
    callsWith: upstreams.callsWith,
    close: upstreams.close,
    /** Scripts the provider to send events, or a whole response; returns the prompt that causes it. */
    sends: (model: UpstreamModel, value: object | readonly object[]): string => {
      const key = word()
      const [type, text] = Array.isArray(value)
        ? ['text/event-stream', value.map((event: object) => `data: ${JSON.stringify(event)}\n\n`).join('')]
        : ['application/json', JSON.stringify(value)]
      upstreams.on(model, key, (response) => void response.writeHead(200, { 'content-type': type }).end(text))
      return key
    },
    ask: (client: ClientApi, model: UpstreamModel, prompt: string, more: object = {}) =>
      post(CLIENTS[client].path, { model, ...CLIENTS[client].body(prompt), ...more }),
    attemptsOf: async (response: GatewayResponse) => (await governed.recordOf(response)).attempts as readonly Body[],
  }
}
