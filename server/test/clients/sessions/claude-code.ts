// Requests in the form of Claude Code. Written by hand, not recorded, and not yet compared with its documentation.

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { command: { type: 'string', description: 'The command to run' }, timeout: { type: 'number' } },
  required: ['command'],
  additionalProperties: false,
}
const ephemeral = { type: 'ephemeral' }

export const CLAUDE_CODE_PATH = '/v1/messages?beta=true'
export const CLAUDE_CODE_HEADERS: Readonly<Record<string, string>> = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,fine-grained-tool-streaming-2025-05-14',
  'anthropic-dangerous-direct-browser-access': 'true',
  'user-agent': 'claude-cli/2.0.14 (external, cli)',
  'x-app': 'cli',
  'x-stainless-lang': 'js',
  'x-stainless-retry-count': '0',
}

const head = (model: string) => ({
  model,
  system: [
    { type: 'text', text: "You are Claude Code, Anthropic's official CLI for Claude.", cache_control: ephemeral },
    { type: 'text', text: 'You help with tasks of software engineering.', cache_control: ephemeral },
  ],
  metadata: { user_id: 'user_5e3a_account__session_b1946ac9-2ecd-4f3c-9d3b-0f8f3a5b6c7d' },
})

/** The request of one token with which it tests the connection. */
export const warmUp = (model: string) => ({
  model,
  max_tokens: 1,
  messages: [{ role: 'user', content: 'quota' }],
  metadata: head(model).metadata,
})

/** The request for the title of a session. */
export const title = (model: string, prompt: string) => ({
  ...head(model),
  max_tokens: 512,
  temperature: 0,
  messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
  tools: [],
  stream: true,
})

/** A turn of the agent. */
export const turn = (model: string, messages: readonly object[]) => ({
  ...head(model),
  max_tokens: 32_000,
  messages,
  tools: ['Bash', 'Read', 'Edit'].map((name) => ({
    name,
    description: `${name} on this machine. `.repeat(60),
    input_schema: schema,
  })),
  thinking: { type: 'enabled', budget_tokens: 31_999 },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  stream: true,
})
