/** A step of a conversation: a text, or a call of the tool `look_up` and its result. */
export type Step =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly input: object; readonly result: string }

const chatMessages = (step: Step, id: string): readonly object[] => {
  if ('text' in step) return [{ role: step.role, content: step.text }]
  const call = { id, type: 'function', function: { name: 'look_up', arguments: JSON.stringify(step.input) } }
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: step.result },
  ]
}
const responsesItems = (step: Step, call_id: string): readonly object[] => {
  if (!('text' in step))
    return [
      { type: 'function_call', call_id, name: 'look_up', arguments: JSON.stringify(step.input) },
      { type: 'function_call_output', call_id, output: step.result },
    ]
  const text = [{ type: 'output_text', text: step.text, annotations: [] }]
  return [step.role === 'user' ? { role: 'user', content: step.text } : { type: 'message', role: 'assistant', content: text }]
}
const messagesBlocks = (step: Step, id: string): readonly object[] =>
  'text' in step
    ? [{ role: step.role, content: [{ type: 'text', text: step.text }] }]
    : [
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look_up', input: step.input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: step.result }] },
      ]

type ToItems = (step: Step, id: string) => readonly object[]
const each = (steps: readonly Step[], of: ToItems) => steps.flatMap((step, index) => of(step, `call_${index}`))

/** The body of each client API for a conversation with the tool `look_up`. */
export const CONVERSATIONS = {
  '/v1/chat/completions': (steps: readonly Step[], parameters: object, system?: string) => ({
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...each(steps, chatMessages)],
    tools: [{ type: 'function', function: { name: 'look_up', parameters } }],
  }),
  '/v1/responses': (steps: readonly Step[], parameters: object, instructions?: string) => ({
    instructions,
    input: each(steps, responsesItems),
    tools: [{ type: 'function', name: 'look_up', parameters, strict: false }],
  }),
  '/v1/messages': (steps: readonly Step[], input_schema: object, system?: string) => ({
    max_tokens: 100,
    ...(system !== undefined && { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] }),
    messages: each(steps, messagesBlocks),
    tools: [{ name: 'look_up', input_schema }],
  }),
} as const
export type ClientPath = keyof typeof CONVERSATIONS
export const CLIENT_PATHS = Object.keys(CONVERSATIONS) as ClientPath[]
