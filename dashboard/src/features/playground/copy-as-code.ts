import type { RequestBody } from './request-body.ts'

export const CODE_FORMATS = ['curl', 'python', 'node', 'ai-sdk'] as const
export type CodeFormat = (typeof CODE_FORMATS)[number]

interface CodeOptions {
  /** Base URL of the server, without a slash at the end. */
  readonly base: string
  readonly body: RequestBody
  /** The user is proved by a token, which the code reads from USER_TOKEN. */
  readonly withUserToken: boolean
}

/** A program that sends the request. The Application's key is in the environment variable GATEHOUSE_KEY. */
export const codeFor = (format: CodeFormat, options: CodeOptions): string => WRITERS[format](options)

const WRITERS: Readonly<Record<CodeFormat, (options: CodeOptions) => string>> = {
  curl: ({ base, body, withUserToken }) =>
    [
      `curl ${base}/v1/chat/completions \\`,
      '  -H "Authorization: Bearer $GATEHOUSE_KEY" -H \'Content-Type: application/json\' \\',
      ...(withUserToken ? ['  -H "X-Gateway-User-Token: $USER_TOKEN" \\'] : []),
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
    ].join('\n'),

  python: ({ base, body: { governance, stream, ...body }, withUserToken }) => {
    const values = [
      ...Object.entries({ model: '', ...body, ...(stream && { stream }) }).map(
        ([name, value]) => `    ${name}=${toPython(value, 1)},`,
      ),
      ...(governance ? [`    extra_body=${toPython({ governance }, 1)},`] : []),
      ...(withUserToken ? ['    extra_headers={"X-Gateway-User-Token": os.environ["USER_TOKEN"]},'] : []),
    ]
    const reading = stream
      ? ['for chunk in completion:', '    if chunk.choices:', '        print(chunk.choices[0].delta.content or "", end="")']
      : ['print(completion.choices[0].message.content)']
    return [
      'import os',
      'from openai import OpenAI',
      '',
      `client = OpenAI(base_url="${base}/v1", api_key=os.environ["GATEHOUSE_KEY"])`,
      'completion = client.chat.completions.create(',
      ...values,
      ')',
      ...reading,
    ].join('\n')
  },

  node: ({ base, body, withUserToken }) => {
    const request = toJavaScript({ model: '', ...body }, 0)
    const headers = withUserToken ? `, {\n  headers: { 'X-Gateway-User-Token': process.env.USER_TOKEN },\n}` : ''
    const reading = body.stream
      ? ["for await (const chunk of completion) process.stdout.write(chunk.choices[0]?.delta.content ?? '')"]
      : ['console.log(completion.choices[0].message.content)']
    return [
      "import OpenAI from 'openai'",
      '',
      `const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.GATEHOUSE_KEY })`,
      `const completion = await client.chat.completions.create(${request}${headers})`,
      ...reading,
    ].join('\n')
  },

  'ai-sdk': ({ base, body, withUserToken }) => {
    const { call, tools } = aiSdkCall(body, withUserToken)
    return [
      "import { createOpenAICompatible } from '@ai-sdk/openai-compatible'",
      `import { ${[body.stream ? 'streamText' : 'generateText', ...(tools ? ['jsonSchema', 'tool'] : [])].join(', ')} } from 'ai'`,
      '',
      'const gatehouse = createOpenAICompatible({',
      "  name: 'gatehouse',",
      `  baseURL: '${base}/v1',`,
      '  apiKey: process.env.GATEHOUSE_KEY,',
      '})',
      ...call,
    ].join('\n')
  },
}

/** The AI SDK names the parameters differently, and passes `governance` as an option of the provider. */
function aiSdkCall(body: RequestBody, withUserToken: boolean) {
  const { model = '', messages, temperature, top_p, max_tokens, seed, stop, response_format, tools, stream, governance } = body
  const values = {
    messages,
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stopSequences: stop }),
    ...((governance || response_format) && {
      providerOptions: { gatehouse: { ...(response_format && { response_format }), ...(governance && { governance }) } },
    }),
  }
  const definitions = (tools ?? []).map(
    ({ function: { name, description, parameters } }) =>
      `    ${quoteKey(name)}: tool({ ${description ? `description: ${quote(description)}, ` : ''}inputSchema: jsonSchema(${toJavaScript(parameters ?? { type: 'object', properties: {} }, 2)}) }),`,
  )
  const call = [
    stream ? 'const { textStream } = streamText({' : 'const { text } = await generateText({',
    `  model: gatehouse(${quote(model)}),`,
    ...Object.entries(values).map(([name, value]) => `  ${name}: ${toJavaScript(value, 1)},`),
    ...(definitions.length > 0 ? ['  tools: {', ...definitions, '  },'] : []),
    ...(withUserToken ? ["  headers: { 'X-Gateway-User-Token': process.env.USER_TOKEN },"] : []),
    '})',
    stream ? 'for await (const text of textStream) process.stdout.write(text)' : 'console.log(text)',
  ]
  return { call, tools: definitions.length > 0 }
}

const quote = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const quoteKey = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : quote(name))

function toJavaScript(value: unknown, depth: number): string {
  if (typeof value === 'string') return quote(value)
  if (value === null || typeof value !== 'object') return String(value)
  const entries = Array.isArray(value)
    ? value.map((item) => toJavaScript(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${quoteKey(key)}: ${toJavaScript(item, depth + 1)}`)
  return writeList(entries, Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'], '  ', depth)
}

function toPython(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Array.isArray(value)
    ? value.map((item) => toPython(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item, depth + 1)}`)
  return writeList(entries, Array.isArray(value) ? ['[', ']'] : ['{', '}'], '    ', depth)
}

const LINE = 80

/** On one line if it fits, otherwise an entry on each. */
function writeList(entries: readonly string[], [open, close]: readonly [string, string], unit: string, depth: number): string {
  if (entries.length === 0) return `${open.trim()}${close.trim()}`
  const short = `${open}${entries.join(', ')}${close}`
  if (short.length + unit.length * depth <= LINE && !short.includes('\n')) return short
  const inner = unit.repeat(depth + 1)
  return `${open.trim()}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${unit.repeat(depth)}${close.trim()}`
}
