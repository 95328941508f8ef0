import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { expectSuccess } from './gateway-client.ts'
import { type Governed, startGoverned } from './governed.ts'
import { startScriptedAnthropic } from './scripted-anthropic.ts'
import { startScriptedResponses } from './scripted-responses.ts'
import { sharedGoverned } from './shared-server.ts'

/** The models of the three scripted providers: chat completions, Messages, Responses. */
export const MODELS = ['scripted', 'claude', 'gpt'] as const
export type UpstreamModel = (typeof MODELS)[number]

interface Call {
  readonly raw: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** A Workspace of the worker's server, or another server, with a scripted provider of each API. */
export async function startThreeUpstreams(start: () => Promise<Governed> = sharedGoverned) {
  const anthropic = await startScriptedAnthropic()
  const responses = await startScriptedResponses()
  const governed = await start()
  const add = async (id: string, provider: object, model: string, fields: object) => {
    expectSuccess(await governed.admin('POST', '/providers', { json: { id, api_key: 'sk-scripted', ...provider } }), 201)
    expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${model}`, { json: fields }))
  }
  await add('anthropic', { kind: 'anthropic', base_url: anthropic.url, api_key: 'sk-ant-scripted' }, 'claude', {})
  await add('responses', { kind: 'openai', base_url: responses.url }, 'gpt', { api: 'responses' })
  const providers = { scripted: governed.provider, claude: anthropic, gpt: responses }
  return {
    governed,
    anthropic,
    responses,
    providers,
    /** Sets the behaviour of the model's provider for requests with `word`. */
    on: (model: UpstreamModel, word: string, behaviour: (response: ServerResponse, call: Call) => void): void =>
      providers[model].on(word, behaviour),
    /** The requests with `word` that the provider of the model has received. */
    callsWith: (model: UpstreamModel, word: string): readonly Call[] => providers[model].callsWith(word),
    close: async (): Promise<void> => {
      await governed.close()
      await anthropic.close()
      await responses.close()
    },
  }
}

/** Starts a separate server for the calling test file. Its providers have no retries, so an invalid response is requested once. */
export async function startOwnUpstreams() {
  const upstreams = await startThreeUpstreams(() => startGoverned({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }))
  for (const id of ['openai', 'anthropic', 'responses'])
    expectSuccess(await upstreams.governed.admin('PATCH', `/providers/${id}`, { json: { max_retries: 0 } }))
  return upstreams
}

export type ThreeUpstreams = Awaited<ReturnType<typeof startThreeUpstreams>>
