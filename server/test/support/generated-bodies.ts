import fc from 'fast-check'

// Valid bodies of the three client APIs, with their fields in any order.

/** A word that policies of tests change. */
export const SECRET = 'SECRET'
const word = fc.constantFrom('alpha', 'beta', 'a longer text', 'naïve 狐狸', `write ${SECRET} down`, '1.0')
const cache = fc.constantFrom({}, { cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } })
/** Written as a number of this form. */
const NUMBER = /"#([^"]+)"/g
const number = fc.constantFrom('#1.0', '#1e3', '#12345678901234567890', '#7', '#0.10')
export const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(NUMBER, '$1')

const input = fc.dictionary(
  fc.constantFrom('city', 'days', 'nested'),
  fc.oneof(word, number, fc.record({ id: number, note: word })),
)
const textBlock = fc.tuple(word, cache).map(([text, more]) => ({ type: 'text', text, ...more }))
const image = fc.constant({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8gd29ybGQ=' } })
const document = fc.tuple(word, cache).map(([data, more]) => ({
  type: 'document',
  ...more,
  source: { type: 'text', media_type: 'text/plain', data },
}))
const toolResult = fc
  .tuple(fc.oneof(word, fc.array(textBlock, { minLength: 1, maxLength: 2 })), cache, fc.boolean())
  .map(([content, more, isError]) => ({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    ...(isError && { is_error: true }),
    content,
    ...more,
  }))
const userMessage = fc
  .oneof(word, fc.array(fc.oneof(textBlock, image, document, toolResult), { minLength: 1, maxLength: 4 }))
  .map((content) => ({ role: 'user', content }))
const assistantMessage = fc
  .tuple(fc.boolean(), fc.option(textBlock, { nil: undefined }), fc.array(input, { maxLength: 2 }))
  .map(([thinks, text, inputs]) => ({
    role: 'assistant',
    content: [
      ...(thinks ? [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJlLW9mLXRoaW5raW5n' }] : []),
      ...(text ? [text] : []),
      ...inputs.map((value, index) => ({ type: 'tool_use', id: `toolu_${index}`, name: 'look_up', input: value })),
    ],
  }))
const tool = fc.tuple(word, cache).map(([description, more]) => ({
  name: 'look_up',
  description,
  input_schema: { type: 'object', properties: { days: { type: 'integer', maximum: '#10.0' } } },
  ...more,
}))
const shuffled = (fields: Readonly<Record<string, unknown>>) =>
  fc
    .shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length })
    .map((entries) => Object.fromEntries(entries))

export const messagesBody = fc
  .record({
    system: fc.oneof(word, fc.array(textBlock, { minLength: 1, maxLength: 3 })),
    messages: fc
      .array(fc.tuple(userMessage, assistantMessage), { maxLength: 3 })
      .chain((turns) => userMessage.map((last) => [...turns.flat().filter(({ content }) => content.length > 0), last])),
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    temperature: number.filter((text) => text.length < 5 && text !== '#1e3' && text !== '#7'),
    metadata: word.map((user_id) => ({ user_id })),
    thinking: fc.constantFrom({ type: 'enabled', budget_tokens: 2048, display: 'omitted' }, { type: 'adaptive' }),
    stop_sequences: fc.array(word, { minLength: 1, maxLength: 2 }),
  })
  .chain((fields) => shuffled({ ...fields, model: 'm', max_tokens: 100, stream: false }))

const chatMessage = fc.oneof(
  fc
    .tuple(word, fc.constantFrom({}, { name: null }, { x_unknown: '#1.0' }))
    .map(([content, more]) => ({ content, ...more, role: 'user' })),
  fc.array(textBlock, { minLength: 1, maxLength: 3 }).map((content) => ({ role: 'user', content })),
  fc.tuple(word, word).map(([content, city]) => ({
    role: 'assistant',
    refusal: null,
    content,
    tool_calls: [{ type: 'function', id: 'call_1', function: { arguments: JSON.stringify({ city }), name: 'look_up' } }],
  })),
  word.map((content) => ({ role: 'tool', tool_call_id: 'call_1', content })),
)
export const chatBody = fc
  .record({
    messages: fc.array(chatMessage, { minLength: 1, maxLength: 5 }),
    temperature: fc.constantFrom('#1.0', '#0.10', null),
    seed: fc.constantFrom(7, null),
    stop: fc.array(word, { minLength: 1, maxLength: 2 }),
    tools: fc.array(
      tool.map(({ name, description, input_schema }) => ({
        function: { description, name, parameters: input_schema },
        type: 'function',
      })),
      { minLength: 1, maxLength: 2 },
    ),
    x_vendor: fc.record({ level: number, text: word, nothing: fc.constant(null) }),
  })
  .chain((fields) => shuffled({ ...fields, model: 'm', stream: false }))

const inputText = fc.tuple(word, fc.constantFrom({}, { prompt_cache_breakpoint: { kind: '#1.0' } })).map(([text, more]) => ({
  text,
  type: 'input_text',
  ...more,
}))
const inputContent = fc.oneof(
  word,
  fc.array(
    fc.oneof(inputText, fc.constant({ detail: 'low', type: 'input_image', image_url: 'data:image/png;base64,aGVsbG8gd29ybGQ=' })),
    { minLength: 1, maxLength: 3 },
  ),
)
const responsesTurn = fc
  .record({
    asked: inputContent,
    thinks: fc.boolean(),
    said: fc.option(word),
    args: fc.array(word, { maxLength: 2 }),
    result: inputContent,
  })
  .map(({ asked, thinks, said, args, result }) => [
    { role: 'user', content: asked },
    ...(thinks
      ? [{ id: 'rs_1', type: 'reasoning', summary: [{ text: 'Hm.', type: 'summary_text' }], encrypted_content: 'c3RhdGU=' }]
      : []),
    ...(said === null
      ? []
      : [{ type: 'message', role: 'assistant', content: [{ annotations: [], type: 'output_text', text: said }] }]),
    ...args.map((value, index) => ({
      type: 'function_call',
      arguments: JSON.stringify({ city: value }),
      call_id: `call_${index}`,
      name: 'look_up',
    })),
    ...args.map((_, index) => ({ call_id: `call_${index}`, type: 'function_call_output', output: result })),
  ])
export const responsesBody = fc
  .record({
    instructions: fc.option(word),
    input: fc.oneof(
      word,
      fc.array(responsesTurn, { minLength: 1, maxLength: 3 }).map((turns) => turns.flat()),
    ),
    temperature: fc.constantFrom('#1.0', '#0.10', null),
    metadata: word.map((note) => ({ note })),
    tools: fc.array(
      tool.map(({ name, description, input_schema }) => ({
        strict: null,
        type: 'function',
        description,
        name,
        parameters: input_schema,
      })),
      { minLength: 1, maxLength: 2 },
    ),
    reasoning: fc.constantFrom({ effort: 'low', summary: 'auto' }, null),
    text: fc.constantFrom({ verbosity: 'low', format: { type: 'text' } }, null),
    truncation: fc.constantFrom('disabled', null),
  })
  .chain((fields) => shuffled({ ...fields, model: 'm', stream: false, store: false }))
