import { basename } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Governed, startGoverned } from '../support/governed.ts'
import { type ScriptedAnthropic, startScriptedAnthropic } from '../support/scripted-anthropic.ts'
import { word } from '../support/scripted-provider.ts'
import { foreignRepository } from './support/foreign-repository.ts'

/** Answers of real providers, recorded by the AI SDK (github.com/vercel/ai): it must read the same through the gateway as directly. */
const repository = foreignRepository('VERCEL_AI_GIT')

interface Options {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch?: typeof fetch
}
interface Recording {
  readonly name: string
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

const chatClients = {
  anthropic: (options: Options) => createAnthropic(options)('claude'),
  openai: (options: Options) => createOpenAI(options).chat('scripted'),
  compatible: (options: Options) => createOpenAICompatible({ ...options, name: 'recorded' })('scripted'),
}
type Client = keyof typeof chatClients

const RECORDED: readonly { readonly client: Client; readonly path: RegExp; readonly field: string }[] = [
  { client: 'anthropic', path: /^packages\/anthropic\/src\/__fixtures__\/.*\.json$/, field: 'content' },
  { client: 'openai', path: /^packages\/openai\/src\/chat\/__fixtures__\/.*\.json$/, field: 'choices' },
  {
    client: 'compatible',
    path: /^packages\/(openai-compatible|deepseek|groq|mistral|xai)\/src\/(chat\/)?__fixtures__\/.*\.json$/,
    field: 'choices',
  },
]

/** Blocks of Anthropic that a provider's own tools cause. The gateway does not govern those tools, so it refuses the answer. */
const GOVERNED_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])
const isRefused = ({ body: { content, choices, container } }: Recording): boolean =>
  choices === undefined &&
  (!Array.isArray(content) || content.some(({ type }) => !GOVERNED_BLOCKS.has(type)) || container != null)

/** Clients of the chat API read content that is a text. */
const isReadable = ({ body: { choices } }: Recording): boolean =>
  !Array.isArray(choices) || choices.every(({ message }) => !Array.isArray(message?.content))

const recordingsOf = ({ path, field }: { readonly path: RegExp; readonly field: string }): readonly Recording[] =>
  (repository?.list() ?? [])
    .filter((name) => path.test(name))
    .map((name) => {
      const text = repository?.read(name) ?? ''
      return { name: basename(name), text, body: JSON.parse(text) as Recording['body'] }
    })
    .filter((recording) => Array.isArray(recording.body[field]) && isReadable(recording))

const EMBEDDINGS = recordingsOf({ path: /^packages\/openai\/src\/embedding\/__fixtures__\/.*\.json$/, field: 'data' })

describe.skipIf(!repository)('recordings of the AI SDK', () => {
  let governed: Governed
  let anthropic: ScriptedAnthropic
  let apiKey: string
  beforeAll(async () => {
    anthropic = await startScriptedAnthropic()
    governed = await startGoverned({
      ANTHROPIC_API_KEY: 'sk-ant-scripted',
      ANTHROPIC_BASE_URL: anthropic.url,
      ANTHROPIC_MODELS: 'claude',
      GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
    })
    apiKey = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
  })
  afterAll(async () => {
    await governed.close()
    await anthropic.close()
  })

  /** A prompt that the scripted provider of this client answers with the recording. */
  const promptFor = (client: Client, text: string): string => {
    const key = word()
    const provider = client === 'anthropic' ? anthropic : governed.provider
    provider.on(key, (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
    return key
  }
  const read = async (client: Client, options: Options, prompt: string) => {
    const text = [{ type: 'text' as const, text: prompt }]
    const result = await chatClients[client](options).doGenerate({ prompt: [{ role: 'user', content: text }] })
    const { raw: _usage, ...usage } = result.usage
    return { content: result.content, finishReason: result.finishReason.unified, usage }
  }
  const readDirectly = (client: Client, { text }: Recording) => {
    const answer = async () => new Response(text, { headers: { 'content-type': 'application/json' } })
    return read(client, { apiKey: 'none', baseURL: 'http://127.0.0.1/v1', fetch: answer }, 'x')
  }
  const readThroughGateway = (client: Client, { text }: Recording) =>
    read(client, { apiKey, baseURL: `${governed.base}/v1` }, promptFor(client, text))

  describe.each(RECORDED)('$client', (recorded) => {
    const { client } = recorded
    const recordings = recordingsOf(recorded)
    test.each(recordings.filter((recording) => !isRefused(recording)))(
      '$name: is read as without the gateway',
      async (recording) => {
        expect(await readThroughGateway(client, recording)).toEqual(await readDirectly(client, recording))
      },
    )
    test.runIf(recordings.some(isRefused)).each(recordings.filter(isRefused))('$name: is refused', async (recording) => {
      const refusal = await readThroughGateway(client, recording).catch((error: unknown) => error)
      expect(APICallError.isInstance(refusal) && refusal.statusCode).toBe(502)
    })
  })

  test.each(EMBEDDINGS)('embeddings, $name: is read as without the gateway', async ({ text, body }) => {
    const values = (body.data as readonly unknown[]).map((_, index) => (index === 0 ? promptFor('openai', text) : word()))
    const embed = async (options: Options) => {
      const { embeddings, usage } = await createOpenAI(options).textEmbeddingModel('scripted').doEmbed({ values })
      return { embeddings, usage }
    }
    const fetched = async () => new Response(text, { headers: { 'content-type': 'application/json' } })
    const directly = await embed({ apiKey: 'none', baseURL: 'http://127.0.0.1/v1', fetch: fetched })
    expect(await embed({ apiKey, baseURL: `${governed.base}/v1` })).toEqual(directly)
  })
})
