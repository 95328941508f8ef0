import OpenAI from 'openai'
import { errorOf, prompts } from './client-fixture.ts'
import type { Governed } from './governed.ts'
import { completion, json, word } from './scripted-provider.ts'

export type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
export type Input = OpenAI.Responses.ResponseInput

export const body = (input: string | Input, more: object = {}): Body => ({ model: 'scripted', input, ...more })

export const WEATHER = {
  type: 'function',
  name: 'weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  strict: true,
} as const

export const failure = async (call: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
  const thrown = await errorOf(call)
  if (thrown instanceof OpenAI.APIError) return thrown
  throw thrown
}
export const envelope = (error: InstanceType<typeof OpenAI.APIError>) => error.error as Readonly<Record<string, unknown>>

/** The OpenAI client from npm, with the key of an Application that has all extensions. */
export async function responsesClient(governed: Governed) {
  const settings = { extensions: ['tools', 'content_parts', 'developer_role'] }
  const { token } = await governed.application({ settings })
  return {
    token,
    client: (options: object = {}): OpenAI => new OpenAI({ apiKey: token, baseURL: `${governed.base}/v1`, ...options }),
    /** A prompt whose completion has this choice. */
    promptFor: (choice: object, more: object = {}): string => {
      const key = word()
      const choices = [{ index: 0, finish_reason: 'stop', ...choice }]
      governed.provider.on(key, (response) => json(response, 200, completion('', { choices, ...more })))
      return key
    },
    ...prompts(governed),
  }
}
