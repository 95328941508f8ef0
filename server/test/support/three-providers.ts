import { expectSuccess } from './gateway-client.ts'
import { startGoverned } from './governed.ts'
import { startScriptedAnthropic } from './scripted-anthropic.ts'
import { startScriptedResponses } from './scripted-responses.ts'

/** A server with a provider of each API: the models `scripted` (chat completions), `claude` (Messages) and `gpt` (Responses). */
export async function startThreeProviders() {
  const anthropic = await startScriptedAnthropic()
  const responses = await startScriptedResponses()
  const governed = await startGoverned({
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_MODELS: 'claude',
    GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
  })
  // A response that cannot be read is not requested again.
  for (const id of ['openai', 'anthropic']) {
    expectSuccess(await governed.admin('PATCH', `/providers/${id}`, { json: { max_retries: 0 } }))
  }
  const provider = { id: 'responses', kind: 'openai', base_url: responses.url, api_key: 'sk-scripted', max_retries: 0 }
  expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
  expectSuccess(await governed.admin('PUT', '/providers/responses/models/gpt', { json: { api: 'responses' } }))
  return {
    governed,
    providers: { scripted: governed.provider, claude: anthropic, gpt: responses },
    /** The bodies that all providers have received since the last call. */
    takeReceived: (): readonly string[] =>
      [governed.provider.calls, anthropic.calls, responses.calls].flatMap((calls) => calls.splice(0).map(({ raw }) => raw)),
    close: async () => {
      await governed.close()
      await anthropic.close()
      await responses.close()
    },
  }
}
