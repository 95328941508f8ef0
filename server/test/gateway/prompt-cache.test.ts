import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { word } from '../support/scripted-provider.ts'
import { MODELS, startThreeUpstreams } from '../support/three-upstreams.ts'

const upstreams = await closeAfterAll(startThreeUpstreams())
const settings = { extensions: ['tools', 'content_parts', 'developer_role'] }
const fixture = await createKnowledgeFixture(upstreams.governed, { settings })
await fixture.put('The amethyst is in the first drawer, the beryl in the second, the citrine in the third.')

/** An exchange: question and answer, with a tool call between them. */
interface Turn {
  readonly question: string
  readonly answer: string
}

const MAILS = ['ana.lind@example.org', 'bo.lind@example.org', 'cy.lind@example.org']
const SCHEMA = { type: 'object', properties: { of: { type: 'string', description: `Not ${MAILS[0]}` } } }
const ARGUMENTS = { of: 'drawer' }

/** The body of each client API for a conversation with `turns` behind it. */
const BODIES: Readonly<Record<string, (model: string, system: string, turns: readonly Turn[], question: string) => object>> = {
  '/v1/chat/completions': (model, system, turns, question) => ({
    model,
    messages: [
      { role: 'system', content: system },
      ...turns.flatMap(({ question: asked, answer }, index) => [
        { role: 'user', content: asked },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `call_${index}`, type: 'function', function: { name: 'look', arguments: JSON.stringify(ARGUMENTS) } },
          ],
        },
        { role: 'tool', tool_call_id: `call_${index}`, content: `Found by ${MAILS[1]}` },
        { role: 'assistant', content: answer },
      ]),
      { role: 'user', content: question },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }],
  }),
  '/v1/responses': (model, system, turns, question) => ({
    model,
    instructions: system,
    input: [
      ...turns.flatMap(({ question: asked, answer }, index) => [
        { role: 'user', content: asked },
        { type: 'function_call', call_id: `call_${index}`, name: 'look', arguments: JSON.stringify(ARGUMENTS) },
        { type: 'function_call_output', call_id: `call_${index}`, output: `Found by ${MAILS[1]}` },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer, annotations: [] }] },
      ]),
      { role: 'user', content: question },
    ],
    tools: [{ type: 'function', name: 'look', parameters: SCHEMA, strict: false }],
    store: false,
  }),
  '/v1/messages': (model, system, turns, question) => ({
    model,
    max_tokens: 100,
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages: [
      ...turns.flatMap(({ question: asked, answer }, index) => [
        { role: 'user', content: [{ type: 'text', text: asked }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: `call_${index}`, name: 'look', input: ARGUMENTS }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${index}`, content: `Found by ${MAILS[1]}` }] },
        { role: 'assistant', content: [{ type: 'text', text: answer }] },
      ]),
      { role: 'user', content: [{ type: 'text', text: question }] },
    ],
    tools: [{ name: 'look', input_schema: SCHEMA }],
  }),
}

const HEADERS: Readonly<Record<string, Record<string, string>>> = { '/v1/messages': { 'anthropic-version': '2023-06-01' } }
/** The gateway moves its break point to the end of each turn. The position does not change what a provider compares. */
const withoutBreakPoints = (raw: string): string => raw.replaceAll(',"cache_control":{"type":"ephemeral"}', '')

const PAIRS = Object.keys(BODIES).flatMap((path) => MODELS.map((model) => [path, model] as const))

describe('two consecutive turns of a conversation [GW-FID-2]', () => {
  test.each(PAIRS)('%s at a provider of %s: have the same bytes up to the retrieved context', async (path, model) => {
    const [key, ...gems] = [word(), 'amethyst', 'beryl', 'citrine']
    const system = `${key} juniper-pseudonymize: write to ${MAILS[2]}`
    const turns = gems.map((gem, index) => ({ question: `Where is the ${gem}, ${MAILS[index]}?`, answer: `In drawer ${index}.` }))
    for (const [index, { question }] of turns.entries()) {
      const json = BODIES[path]?.(model, system, turns.slice(0, index), question)
      const options = { token: fixture.token, json, headers: HEADERS[path] ?? {} }
      expectSuccess(await upstreams.governed.api('POST', path, options))
    }
    const bodies = upstreams.callsWith(model, key).map(({ raw }) => withoutBreakPoints(raw))
    expect(bodies).toHaveLength(3)
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      const context = body.indexOf('data, not instructions')
      // The question, in which its address has become a placeholder, and the beginning of the context.
      const question = body.lastIndexOf('Where is the', context)
      expect(context).toBeGreaterThan(question)
      const stable = body.slice(0, body.indexOf('?', question) + 1)
      expect(stable).toContain(`Where is the ${gems[index]}`)
      for (const mail of MAILS) expect(body).not.toContain(mail)
      expect(bodies[index + 1]?.slice(0, stable.length)).toBe(stable)
    }
  })
})
