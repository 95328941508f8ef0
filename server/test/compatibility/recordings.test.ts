import { createOpenAI } from '@ai-sdk/openai'
import { APICallError } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { type ScriptedAnthropic, startScriptedAnthropic } from '../support/scripted-anthropic.ts'
import { word } from '../support/scripted-provider.ts'
import { type ScriptedResponses, startScriptedResponses } from '../support/scripted-responses.ts'
import { foreignRepository } from './support/foreign-repository.ts'
import { type Answer, type Client, type Options, readAnswer } from './support/read-answer.ts'
import { type Recording, recordingsOf } from './support/recordings.ts'

/** Answers of real providers, recorded by the AI SDK (github.com/vercel/ai): it must read the same through the gateway as directly. */
const repository = foreignRepository('VERCEL_AI_GIT')
const recordings = repository ? recordingsOf(repository) : []
/** The state that a provider encrypts differs between the events of one stream, so it has to be one of them. */
const withoutState = (answer: Answer, { text }: Recording): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'reasoningEncryptedContent' && text.includes(value) ? 'state of the provider' : value,
  )
const textOf = ({ content }: Answer): string => content.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n\n')

/** The chat form has one text for each message, so texts of two phases become one without a phase. */
const TWO_PHASES = 'openai/responses/openai-phase.1'
/** The request of these tests declares no search for tools, so the call of one is a call of a function. */
const SEARCH = 'openai/responses/openai-client-tool-search.1'
/** Each event has other ids of the same items, so the client cannot read the stream directly. */
const OTHER_IDS = 'openai/responses/github-copilot-id-rotation.1'
const EMBEDDING = 'packages/openai/src/embedding/__fixtures__/openai-embedding.json'

describe.skipIf(!repository)('recordings of the AI SDK', () => {
  let governed: Governed
  let anthropic: ScriptedAnthropic
  let responses: ScriptedResponses
  let apiKey: string
  beforeAll(async () => {
    anthropic = await startScriptedAnthropic()
    responses = await startScriptedResponses()
    governed = await startGoverned({
      ANTHROPIC_API_KEY: 'sk-ant-scripted',
      ANTHROPIC_BASE_URL: anthropic.url,
      ANTHROPIC_MODELS: 'claude',
      GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
    })
    const provider = { id: 'responses', kind: 'openai', base_url: responses.url, api_key: 'sk-scripted' }
    expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
    expectSuccess(await governed.admin('PUT', '/providers/responses/models/gpt', { json: { api: 'responses' } }))
    apiKey = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
  })
  afterAll(async () => {
    await governed.close()
    await anthropic.close()
    await responses.close()
  })

  /** A prompt that the scripted provider of this client answers with the text. */
  const promptFor = (client: Client, text: string, type: string): string => {
    const key = word()
    const providers = { anthropic, responses, openai: governed.provider, compatible: governed.provider }
    providers[client].on(key, (response) => response.writeHead(200, { 'content-type': type }).end(text))
    return key
  }
  const typeOf = ({ isStream }: Recording): string => (isStream ? 'text/event-stream' : 'application/json')
  /** An answer without the gateway. */
  const answering = (text: string, type: string): Options => {
    const answer = async () => new Response(text, { headers: { 'content-type': type } })
    return { apiKey: 'none', baseURL: 'http://127.0.0.1/v1', fetch: answer }
  }
  const gateway = (): Options => ({ apiKey, baseURL: `${governed.base}/v1` })
  const readDirectly = (recording: Recording) =>
    readAnswer(recording.client, answering(recording.text, typeOf(recording)), 'x', recording.isStream)
  const readThroughGateway = (recording: Recording) =>
    readAnswer(recording.client, gateway(), promptFor(recording.client, recording.text, typeOf(recording)), recording.isStream)

  const isEqual = ({ name, refused }: Recording): boolean =>
    refused.length === 0 && ![TWO_PHASES, OTHER_IDS, SEARCH].includes(name)
  test.each(recordings.filter(isEqual))('$client, $name: is read as without the gateway', async (recording) => {
    const [through, directly] = await Promise.all([readThroughGateway(recording), readDirectly(recording)])
    expect(withoutState(through, recording)).toEqual(withoutState(directly, recording))
  })
  test.each(recordings.filter(({ refused }) => refused.length > 0))(
    '$client, $name: is refused because of $refused',
    async (recording) => {
      const refusal = await readThroughGateway(recording).catch((error: unknown) => error)
      expect(APICallError.isInstance(refusal) && refusal.statusCode).toBe(502)
    },
  )

  // The recorded stream is shortened: its last event has another text than its deltas.
  test.each(recordings.filter(({ name, isStream }) => name === TWO_PHASES && !isStream))(
    '$client, $name: has one text',
    async (recording) => {
      const [through, directly] = await Promise.all([readThroughGateway(recording), readDirectly(recording)])
      expect({ ...through, content: textOf(through) }).toEqual({ ...directly, content: textOf(directly) })
    },
  )
  test.each(recordings.filter(({ name }) => name === SEARCH))('$client, $name: is a call of a function', async (recording) => {
    const { content } = await readThroughGateway(recording)
    expect(content).toContainEqual(expect.objectContaining({ type: 'tool-call', toolName: 'tool_search' }))
  })
  test.each(recordings.filter(({ name }) => name === OTHER_IDS))('$client, $name: is read', async (recording) => {
    await expect(readDirectly(recording)).rejects.toThrow()
    expect(await readThroughGateway(recording)).toMatchObject({ finishReason: 'stop' })
  })

  test('embeddings: are read as without the gateway', async () => {
    const text = repository?.read(EMBEDDING) ?? ''
    const { data } = JSON.parse(text) as { readonly data: readonly unknown[] }
    const type = 'application/json'
    const values = data.map((_, index) => (index === 0 ? promptFor('openai', text, type) : word()))
    const embed = async (options: Options) => {
      const { embeddings, usage } = await createOpenAI(options).textEmbeddingModel('scripted').doEmbed({ values })
      return { embeddings, usage }
    }
    expect(await embed(gateway())).toEqual(await embed(answering(text, type)))
  })
})
