import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAIEmbeddings } from '@langchain/openai'
import { OpenAIEmbedding } from '@llamaindex/openai'
import { type EmbeddingModel, embed, embedMany } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'

/** The OpenAI client from npm, against a real server. It requests base64 and decodes it, unless the caller names an encoding. */
const governed = await closeAfterAll(startGoverned())

const client = (path = '/v1'): OpenAI => new OpenAI({ apiKey: governed.key(), baseURL: governed.base + path, maxRetries: 0 })
const lastBody = () => governed.provider.calls.at(-1)?.body

describe.each(['/v1', ''])('openai client: embeddings with base URL {base}%s [GW-PATH-9]', (path) => {
  test('decodes the vector of a single text when it names no encoding [GW-EMB-3]', async () => {
    const { data, model, usage } = await client(path).embeddings.create({ model: 'scripted', input: 'Good morning' })
    expect(data.map(({ embedding }) => [...embedding])).toEqual([[0, 12, 0.5]])
    expect([model, usage.total_tokens]).toEqual(['scripted', 9])
    expect(lastBody()).toMatchObject({ encoding_format: 'base64', input: 'Good morning' })
  })

  test('gets the numbers when it requests float [GW-EMB-3]', async () => {
    const { data } = await client(path).embeddings.create({ model: 'scripted', input: ['a', 'bc'], encoding_format: 'float' })
    expect(data).toEqual([
      { object: 'embedding', index: 0, embedding: [0, 1, 0.5] },
      { object: 'embedding', index: 1, embedding: [1, 2, 0.5] },
    ])
    expect(lastBody()?.encoding_format).toBe('float')
  })
})

test('openai client: dimensions and user reach the provider [GW-EMB-4]', async () => {
  await client().embeddings.create({ model: 'scripted', input: 'x', dimensions: 3, user: 'u-1' })
  expect(lastBody()).toMatchObject({ dimensions: 3, user: 'u-1' })
})

test('openai client: decodes vectors of the demo provider [GW-EMB-12]', async () => {
  const { data } = await client().embeddings.create({ model: 'demo-mini', input: ['one', 'two'], dimensions: 8 })
  expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8])
})

test('openai client: BadRequestError names input when it is a list of tokens [GW-EMB-1]', async () => {
  const call = client().embeddings.create({ model: 'scripted', input: [[1, 2, 3]] })
  await expect(call).rejects.toThrow(OpenAI.BadRequestError)
  await expect(call).rejects.toMatchObject({ param: 'input', code: 'VALIDATION_ERROR' })
})

test('openai client: PermissionDeniedError when a rule denies a text [GW-EMB-7]', async () => {
  const before = governed.provider.calls.length
  const call = client().embeddings.create({ model: 'scripted', input: ['x', 'juniper-deny'] })
  await expect(call).rejects.toThrow(OpenAI.PermissionDeniedError)
  expect(governed.provider.calls).toHaveLength(before)
})

const options = { apiKey: governed.key(), baseURL: `${governed.base}/v1` }
const aiSdk = (model: EmbeddingModel) => ({
  one: async (value: string) => {
    const { embedding, usage } = await embed({ model, value })
    expect(usage.tokens).toBe(9)
    return embedding
  },
  many: async (values: string[]) => (await embedMany({ model, values })).embeddings,
})
const langchain = new OpenAIEmbeddings({ model: 'scripted', apiKey: options.apiKey, configuration: options })
const llamaIndex = new OpenAIEmbedding({ model: 'scripted', ...options })
test.each([
  ['AI SDK openai', aiSdk(createOpenAI(options).textEmbeddingModel('scripted'))],
  ['AI SDK openai-compatible', aiSdk(createOpenAICompatible({ ...options, name: 'gatehouse' }).textEmbeddingModel('scripted'))],
  [
    'LangChain',
    { one: (text: string) => langchain.embedQuery(text), many: (texts: string[]) => langchain.embedDocuments(texts) },
  ],
  [
    'LlamaIndex',
    {
      one: (text: string) => llamaIndex.getTextEmbedding(text),
      many: (texts: string[]) => llamaIndex.getTextEmbeddings(texts),
    },
  ],
])('%s: embeddings are returned in the order of the texts', async (_name, { one, many }) => {
  expect(await one('four')).toEqual([0, 4, 0.5])
  expect(await many(['one', 'three'])).toEqual([
    [0, 3, 0.5],
    [1, 5, 0.5],
  ])
})
