import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

export interface Options {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch?: typeof fetch
}

/** The clients of the AI SDK, each for one API. */
const CLIENTS = {
  anthropic: (options: Options) => createAnthropic(options)('claude'),
  openai: (options: Options) => createOpenAI(options).chat('scripted'),
  compatible: (options: Options) => createOpenAICompatible({ ...options, name: 'recorded', includeUsage: true })('scripted'),
  responses: (options: Options) => createOpenAI(options).responses('gpt'),
}
export type Client = keyof typeof CLIENTS

type Stream = Awaited<ReturnType<ReturnType<typeof CLIENTS.responses>['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never
type Usage = Extract<StreamPart, { readonly type: 'finish' }>['usage']
type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Content, finish reason and usage, as a client reads them. */
export interface Answer {
  readonly content: readonly object[]
  readonly finishReason: string | undefined
  readonly usage: object | undefined
}

/** Sends a prompt with a client and reads the answer. Throws the client's error. */
export async function readAnswer(client: Client, options: Options, prompt: string, isStream: boolean): Promise<Answer> {
  const call = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }] }
  const model = CLIENTS[client](options)
  if (isStream) return collect(await Array.fromAsync((await model.doStream(call)).stream as AsyncIterable<StreamPart>))
  const { content, finishReason, usage } = await model.doGenerate(call)
  return { content: content.map(withoutIds), finishReason: finishReason.unified, usage: countsOf(usage) }
}

/** Texts and reasoning by their ids, then tool calls and sources as they are. */
function collect(parts: readonly StreamPart[]): Answer {
  const texts = new Map<string, { type: string; text: string; providerMetadata?: Metadata }>()
  const others: object[] = []
  let end: Extract<StreamPart, { type: 'finish' }> | undefined
  for (const part of parts) {
    if (part.type === 'error') throw part.error
    const [kind, step] = part.type.split('-')
    if (part.type === 'finish') end = part
    else if (part.type === 'tool-call' || part.type === 'source') others.push(withoutIds(part))
    else if ((kind === 'text' || kind === 'reasoning') && part.type !== 'response-metadata' && 'id' in part) {
      const text = texts.get(part.id) ?? { type: kind, text: '' }
      const providerMetadata = { ...text.providerMetadata, ...part.providerMetadata } as Metadata
      texts.set(part.id, { ...text, text: text.text + (step === 'delta' && 'delta' in part ? part.delta : ''), providerMetadata })
    }
  }
  const content = [...[...texts.values()].map(withoutIds), ...others]
  return { content, finishReason: end?.finishReason.unified, usage: end && countsOf(end.usage) }
}

/** Without the ids of items and sources: those of items are the gateway's own, those of sources the client's. */
function withoutIds(part: { readonly type: string; readonly id?: unknown; readonly providerMetadata?: object }): object {
  const { id: _id, providerMetadata = {}, ...others } = part
  const metadata = Object.entries(providerMetadata as Metadata).flatMap(([name, { itemId: _, ...fields }]) =>
    Object.keys(fields).length === 0 ? [] : [[name, fields]],
  )
  return { ...others, ...(metadata.length > 0 && { providerMetadata: Object.fromEntries(metadata) }) }
}

/** Without the provider's own object. The gateway says 0 where a provider does not say how much its cache has written. */
function countsOf({ raw: _, inputTokens, outputTokens }: Usage): object {
  return { inputTokens: { ...inputTokens, cacheWrite: inputTokens.cacheWrite ?? 0 }, outputTokens }
}
