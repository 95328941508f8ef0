import { expect, test } from 'vitest'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import { collectTexts, replaceTexts } from '../../shared/message.ts'
import type { OriginalRequest } from '../../shared/original-request.ts'
import { decodeRequest } from './request.ts'
import { encodeRequest } from './upstream-request.ts'

// A text that a policy changes does not reach a provider of the same API, wherever in the request it stands.

const SECRET = 'ann@example.com'
const user = (content: unknown = 'Hi') => ({ type: 'message', role: 'user', content })
const said = (...content: readonly object[]) => ({
  ...{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content },
})
const text = (value: string, annotations: readonly object[] = []) => ({ type: 'output_text', text: value, annotations })
const CITATION = { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 0, end_index: 1 }
const REFUSAL = { type: 'refusal', refusal: 'No.' }
const REASONING = {
  ...{ type: 'reasoning', id: 'rs_1', status: 'completed', encrypted_content: 'QUJD' },
  summary: [{ type: 'summary_text', text: 'First' }],
}
const CALL = { type: 'function_call', id: 'fc_1', status: 'completed', call_id: 'c1', name: 'read', arguments: '{"q":"v"}' }
const RESULT = { type: 'function_call_output', id: 'fo_1', status: 'completed', call_id: 'c1', output: 'Done' }
const READ = { type: 'function', name: 'read', description: 'Reads.', parameters: { type: 'object' }, strict: false }
const RUN = { type: 'custom', name: 'run', description: 'Runs.', format: { type: 'text' } }
const FILES = { type: 'namespace', name: 'files', description: 'Files.', tools: [READ, RUN] }
const SEARCH = { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } }
const SEARCHED = { type: 'tool_search_call', call_id: 's1', execution: 'client', arguments: { query: 'files' } }
const FOUND = { type: 'tool_search_output', call_id: 's1', execution: 'client', tools: [FILES] }

const BODIES: Readonly<Record<string, { readonly input: readonly object[]; readonly [field: string]: unknown }>> = {
  'citations of two texts': { input: [user(), said(text('x', [CITATION]), text('y', [CITATION])), user()] },
  'a refusal before a text': { input: [user(), said(REFUSAL, text('x')), user()] },
  'reasoning with an id': { input: [user(), REASONING, said(text('x')), user()] },
  'reasoning without an id': { input: [user(), { ...REASONING, id: undefined }, said(text('x')), user()] },
  'signed reasoning': { input: [user(), { ...REASONING, signature: 'QUJD', format: 'openai-responses-v1' }, CALL, RESULT] },
  'calls and results': { input: [user(), said(text('x')), CALL, { ...RESULT, name: 'read' }], tools: [READ, RUN] },
  'tools of a namespace': { input: [user(), { ...CALL, namespace: 'files' }, RESULT], tools: [FILES] },
  'tools in an item': { input: [{ type: 'additional_tools', role: 'developer', tools: [FILES, READ] }, user()] },
  'a search for tools': {
    input: [user(), said(text('x')), SEARCHED, FOUND, { ...CALL, namespace: 'files' }, RESULT],
    tools: [SEARCH],
  },
  'other fields': {
    instructions: 'Be nice.',
    input: [user([{ type: 'input_text', text: 'a' }])],
    metadata: { k: 'v' },
    user: 'u',
  },
}

type Path = readonly (string | number)[]

function* pathsOfTexts(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value === 'string') yield path
  else if (Array.isArray(value)) for (const [index, entry] of value.entries()) yield* pathsOfTexts(entry, [...path, index])
  else if (isObject(value)) for (const name of Object.keys(value)) yield* pathsOfTexts(value[name], [...path, name])
}

function replaced(value: unknown, [name, ...rest]: Path, change: (text: string) => string): unknown {
  if (name === undefined) return change(String(value))
  if (Array.isArray(value)) return value.map((entry: unknown, index) => (index === name ? replaced(entry, rest, change) : entry))
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], rest, change) }
}

/** The body that a provider gets after a policy has replaced the secret; undefined: the request is refused. */
function sent(body: unknown): string | undefined {
  const decoded = decodeRequest(body)
  if (!decoded.ok) return undefined
  const { messages, model: _, ...parameters } = decoded.chat as unknown as Pick<OriginalRequest, 'messages'> & { model: unknown }
  const redactedTexts = (value: unknown) => collectTexts(value).map((each) => each.replaceAll(SECRET, '[redacted]'))
  const redacted = <T>(value: T): T => replaceTexts(value, redactedTexts(value))
  const read = { origins: decoded.origins, unknown: [], carried: [], messages, parameters }
  const original = { dialect: 'openai-responses', body, ...read } as OriginalRequest
  const request = { model: 'm', stream: false, messages: redacted(messages), parameters: redacted(parameters), original }
  const encoded = encodeRequest(request)
  return encoded.ok ? encoded.body : undefined
}

test.each(Object.entries(BODIES))('redaction: is complete when the secret is in any text of %s [GW-FID-5]', (_, body) => {
  const written: unknown = JSON.parse(JSON.stringify(body))
  const changes = [() => SECRET, (value: string) => `${value} ${SECRET}`]
  const bodies = [...pathsOfTexts(written)].flatMap((path) => changes.map((change) => sent(replaced(written, path, change))))
  expect(bodies.some((each) => each?.includes('[redacted]'))).toBe(true)
  expect(bodies.filter((each) => each?.includes(SECRET))).toEqual([])
})
