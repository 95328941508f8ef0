import { expectSuccess } from './gateway-client.ts'
import { startGoverned } from './governed.ts'
import { startScriptedAnthropic } from './scripted-anthropic.ts'
import { startScriptedResponses } from './scripted-responses.ts'

/** The models of the three scripted providers: chat completions, Messages, Responses. */
export const MODELS = ['scripted', 'claude', 'gpt'] as const
export type UpstreamModel = (typeof MODELS)[number]

interface Call {
  readonly raw: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A server with a scripted provider of each API. */
export async function startThreeUpstreams() {
  const anthropic = await startScriptedAnthropic()
  const governed = await startGoverned({
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_MODELS: 'claude',
    GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
  })
  const responses = await startScriptedResponses()
  const provider = { id: 'responses', kind: 'openai', base_url: responses.url, api_key: 'sk-scripted' }
  expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
  expectSuccess(await governed.admin('PUT', '/providers/responses/models/gpt', { json: { api: 'responses' } }))
  const providers = { scripted: governed.provider, claude: anthropic, gpt: responses }
  return {
    governed,
    anthropic,
    responses,
    /** The requests with `word` that the provider of the model has received. */
    callsWith: (model: UpstreamModel, word: string): readonly Call[] => providers[model].callsWith(word),
    close: async (): Promise<void> => {
      await governed.close()
      await anthropic.close()
      await responses.close()
    },
  }
}

export type ThreeUpstreams = Awaited<ReturnType<typeof startThreeUpstreams>>
