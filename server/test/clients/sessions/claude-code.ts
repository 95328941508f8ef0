/**
 * Requests in the form of Claude Code with ANTHROPIC_BASE_URL: its gateway protocol (https://code.claude.com/docs/en/llm-gateway-protocol),
 * the types of `beta.messages` in @anthropic-ai/sdk, with which it sends them, and requests of versions 2.1.133 to 2.1.280 that users have
 * published (github.com/c-daniele/c-daniele.github.io, files/2026/coding-harness-comparison; anthropics/claude-code #77698;
 * chenyme/grok2api #598). The texts are our own.
 */

const SESSION = 'b1946ac9-2ecd-4f3c-9d3b-0f8f3a5b6c7d'

export const CLAUDE_CODE_BETAS = [
  ...['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'thinking-token-count-2026-05-13'],
  ...['context-management-2025-06-27', 'prompt-caching-scope-2026-01-05', 'mid-conversation-system-2026-04-07'],
  ...['advisor-tool-2026-03-01', 'effort-2025-11-24'],
]

export const CLAUDE_CODE_HEADERS: Readonly<Record<string, string>> = {
  'anthropic-dangerous-direct-browser-access': 'true',
  'user-agent': 'claude-cli/2.1.280 (external, cli)',
  'x-app': 'cli',
  'x-claude-code-session-id': SESSION,
}

type Block = Readonly<Record<string, unknown>>
type Message = Readonly<Record<string, unknown>>

const cached = { type: 'ephemeral' }
const text = (content: string): Block => ({ type: 'text', text: content })

const metadata = {
  user_id: JSON.stringify({ device_id: '0'.repeat(63).concat('2'), account_uuid: '', session_id: SESSION }),
}
const system = [
  text('x-anthropic-billing-header: cc_version=2.1.280.d9e; cc_entrypoint=cli;'),
  { ...text("You are Claude Code, Anthropic's official CLI for Claude."), cache_control: cached },
  { ...text('You help with tasks of software engineering. '.repeat(400)), cache_control: cached },
]

const toolOf = (name: string, properties: object) => ({
  name,
  description: `Tool ${name} of the client. `.repeat(40),
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: Object.keys(properties).slice(0, 1),
    additionalProperties: false,
  },
  eager_input_streaming: true,
})
const tools = [
  toolOf('Bash', { command: { type: 'string' }, timeout: { type: 'number' }, run_in_background: { type: 'boolean' } }),
  toolOf('Read', { file_path: { type: 'string' }, offset: { type: 'number' }, limit: { type: 'number' } }),
  toolOf('mcp__lab__look_up', { word: { type: 'string' } }),
]

/** The first message of a session. The list of agents follows it as a system message. */
export const opening = (prompt: string): readonly Message[] => [
  {
    role: 'user',
    content: [
      text('<system-reminder>\nThe following skills are available: review, init\n</system-reminder>'),
      text("<system-reminder>\n# currentDate\nToday's date is 2026-11-23.\n</system-reminder>"),
      text(prompt),
    ],
  },
  { role: 'system', content: 'The agents that the tool Agent can start: Explore, Plan.' },
]

/** The answer of the model as it stands in the history, and the results of its calls. */
export const afterCalls = (content: readonly object[], result: string): readonly Message[] => {
  const calls = content as readonly Block[]
  const results = calls.filter(({ type }) => type === 'tool_use')
  return [
    { role: 'assistant', content },
    {
      role: 'user',
      content: results.map(({ id }, index) => ({
        ...{ type: 'tool_result', tool_use_id: id, is_error: false },
        content: index === 0 ? result : [text(result), text('<system-reminder>The file is not empty.</system-reminder>')],
        ...(index === results.length - 1 && { cache_control: cached }),
      })),
    },
  ]
}

const conversation = (messages: readonly Message[]) => ({
  messages,
  system,
  tools,
  thinking: { type: 'adaptive', display: 'summarized' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
})

/** A turn of the agent. */
export const turn = (model: string, messages: readonly Message[]) => ({
  model,
  ...conversation(messages),
  max_tokens: 32_000,
  metadata,
  output_config: { effort: 'high' },
})

/** The request that counts the tokens of a turn. */
export const count = (model: string, messages: readonly Message[]) => ({ model, ...conversation(messages) })

/** The request of one token that tests the connection. */
export const quota = (model: string) => ({ model, max_tokens: 1, messages: [{ role: 'user', content: 'quota' }], metadata })

/** The request for the title of a session. */
export const title = (model: string, prompt: string) => ({
  model,
  max_tokens: 32_000,
  system: [system[0], text('Write a title for this session, in JSON.')],
  messages: [{ role: 'user', content: [text(prompt)] }],
  tools: [],
  metadata,
  temperature: 1,
  thinking: { type: 'disabled' },
  output_config: {
    format: {
      type: 'json_schema',
      schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'], additionalProperties: false },
    },
  },
})
