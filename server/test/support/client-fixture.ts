import { expect } from 'vitest'
import type { Governed } from './governed.ts'
import { completion, json, says, word } from './scripted-provider.ts'
import { sharedGoverned } from './shared-server.ts'

export const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.'
/** The call of the tool `weather` that a tool prompt causes, and its arguments. */
export const CITY = 'Łódź'
const CALL = { id: 'call_weather', type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city: CITY }) } }

/**
 * An Application with all extensions on the worker's server, and prompts that choose the completion. Clients count their own requests:
 * `fetch` is the client's fetch, `statuses` the statuses of its responses.
 */
export async function startClientFixture() {
  const governed = await sharedGoverned()
  const settings = {
    extensions: ['tools', 'content_parts', 'developer_role'],
    knowledge: { enabled: false },
    memory: { enabled: false, capture: 'off' },
  }
  const { token } = await governed.application({ default_model: 'scripted', settings })
  const statuses: number[] = []
  const countingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  }
  return {
    governed,
    token,
    /** Base URL of the OpenAI APIs. */
    baseURL: `${governed.base}/v1`,
    fetch: countingFetch,
    statuses,
    ...prompts(governed),
    close: () => governed.close(),
  }
}

export function prompts({ provider }: Pick<Governed, 'provider'>) {
  const promptForText = (text: string): string => {
    const key = word()
    provider.on(key, says(text))
    return key
  }
  return {
    /** A prompt whose completion is `text`. */
    promptForText,
    /** A prompt whose completion calls the tool `weather`, and whose completion after the tool's result is `text`. */
    promptForTool: (text: string): string => {
      const key = word()
      const message = { role: 'assistant', content: null, tool_calls: [CALL] }
      const call = completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
      provider.on(key, (response, { body: { messages } }) =>
        json(response, 200, messages.some(({ role }) => role === 'tool') ? completion(text) : call),
      )
      return key
    },
    /** The body that the provider received last for a prompt. */
    sentFor: (key: string) => {
      const sent = provider.callsWith(key).at(-1)?.body
      expect(sent).toBeDefined()
      return sent
    },
    expectToolTurn: (key: string, result: string): void => {
      const messages = provider.callsWith(key).at(-1)?.body.messages ?? []
      const sent = messages.find(({ role }) => role === 'assistant') as { tool_calls?: readonly (typeof CALL)[] } | undefined
      const [call] = sent?.tool_calls ?? []
      expect(call).toMatchObject({ id: CALL.id, type: 'function', function: { name: 'weather' } })
      expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ city: CITY })
      const answer = messages.find(({ role }) => role === 'tool')
      expect(answer).toMatchObject({ tool_call_id: CALL.id })
      expect(JSON.stringify(answer?.content)).toContain(result)
    },
  }
}

/** The name of an error's class: some clients have a copy of their own of another client's classes. */
export const classOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error)

export const errorOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )
