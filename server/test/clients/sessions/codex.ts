/**
 * Requests in the form of Codex (https://github.com/openai/codex): `ResponsesApiRequest` in codex-rs/codex-api/src/common.rs, filled in
 * codex-rs/core/src/client.rs, with the items of codex-rs/protocol/src/models.rs. Compared with the requests that `codex exec` 0.169.0 sends
 * to a provider of its config.toml: every header, field, item type and tool type is here, with texts of our own.
 */

export const CODEX_PATH = '/v1/responses'
const SESSION = '01a2093e-b82a-7312-b7db-c1ca182f6b34'
const INSTALLATION = 'e24cbe91-fe41-423d-8886-a3b0a65ce901'
const TURN = JSON.stringify({ installation_id: INSTALLATION, session_id: SESSION, request_kind: 'turn', sandbox: 'none' })

export const CODEX_HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/event-stream',
  originator: 'codex_exec',
  'session-id': SESSION,
  'thread-id': SESSION,
  'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.169.0)',
  'x-client-request-id': SESSION,
  'x-codex-beta-features': 'remote_compaction_v2',
  'x-codex-turn-metadata': TURN,
  'x-codex-window-id': `${SESSION}:0`,
}

type Item = Readonly<Record<string, unknown>>

const parametersOf = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: `The ${name}.` }])),
  required: names.slice(0, 1),
  additionalProperties: false,
})
const functionOf = (name: string, ...parameters: readonly string[]) => ({
  type: 'function',
  name,
  description: `Tool ${name} of the client.`,
  strict: false,
  parameters: parametersOf(...parameters),
})
const namespaceOf = (name: string, tools: readonly object[]) => ({
  type: 'namespace',
  name,
  description: `Tools of ${name}.`,
  tools,
})

const SHELL = [functionOf('exec_command', 'cmd', 'workdir'), functionOf('write_stdin', 'session_id', 'chars')]
const OTHERS = [functionOf('view_image', 'path'), functionOf('get_goal')]
const AGENTS = namespaceOf('multi_agent_v1', [functionOf('spawn_agent', 'message'), functionOf('wait_agent', 'target')])
const MCP_TOOLS = namespaceOf('mcp__lab', [functionOf('look_up', 'word')])
const APPLY_PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files. The input is a patch, not JSON.',
  format: {
    type: 'grammar',
    syntax: 'lark',
    definition: 'start: begin_patch hunk+ end_patch\nbegin_patch: "*** Begin Patch" LF',
  },
}
const TOOL_SEARCH = {
  type: 'tool_search',
  execution: 'client',
  description: 'Searches over the tools that are not declared yet.',
  parameters: parametersOf('query', 'limit'),
}

const message = (role: string, ...texts: readonly string[]): Item => ({
  type: 'message',
  id: `msg_${role}_${texts.join().length}`,
  role,
  content: texts.map((text) => ({ type: 'input_text', text })),
})
export const userItem = (text: string): Item => message('user', text)

const BEFORE = [
  message('developer', 'You are a coding agent in a terminal. '.repeat(400)),
  message('developer', '<skills_instructions>\n## Skills\n</skills_instructions>', '<permissions>workspace-write</permissions>'),
  message('user', '<environment_context>\n  <cwd>/work</cwd>\n  <shell>bash</shell>\n</environment_context>'),
]

const request = (model: string, input: readonly Item[], more: object) => ({
  model,
  stream: true,
  input,
  ...more,
  tool_choice: 'auto',
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: SESSION,
  client_metadata: {
    'x-codex-installation-id': INSTALLATION,
    'x-codex-turn-metadata': TURN,
    'x-codex-window-id': `${SESSION}:0`,
    session_id: SESSION,
  },
})

type Turn = (model: string, input: readonly Item[]) => ReturnType<typeof request>

/** A turn with a model that Codex does not know, as most models of a gateway. */
export const turn: Turn = (model, input) =>
  request(model, [...BEFORE, ...input], {
    tools: [...SHELL, ...OTHERS, AGENTS, MCP_TOOLS],
    parallel_tool_calls: true,
    reasoning: { summary: 'auto' },
  })

/** A turn with a model of Codex's list of models: all tools are in an item. */
export const turnOfListedModel: Turn = (model, input) => {
  const tools = [
    namespaceOf('functions', [{ ...APPLY_PATCH, name: 'exec' }, functionOf('wait', 'cell_id')]),
    namespaceOf('collaboration', [functionOf('list_agents', 'prefix')]),
  ]
  return request(model, [{ type: 'additional_tools', id: 'at_1', role: 'developer', tools }, ...BEFORE, ...input], {
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', context: 'all_turns' },
    text: { verbosity: 'low' },
  })
}

/** A turn with an older model of that list, which searches for the tools of MCP servers, and with `--output-schema`. */
export const turnOfOlderModel: Turn = (model, input) =>
  request(model, [...BEFORE, ...input], {
    tools: [...SHELL, APPLY_PATCH, ...OTHERS, TOOL_SEARCH],
    parallel_tool_calls: true,
    reasoning: { effort: 'medium' },
    text: {
      verbosity: 'low',
      format: { type: 'json_schema', strict: true, schema: parametersOf('answer'), name: 'codex_output_schema' },
    },
  })

const RESULTS: Readonly<Record<string, (id: unknown, text: string) => Item>> = {
  function_call: (call_id, output) => ({ type: 'function_call_output', id: `fco_${call_id}`, call_id, output }),
  custom_tool_call: (call_id, text) => ({
    type: 'custom_tool_call_output',
    id: `ctco_${call_id}`,
    call_id,
    output: [
      { type: 'input_text', text: 'Exit code: 0' },
      { type: 'input_text', text },
    ],
  }),
  tool_search_call: (call_id) => ({
    type: 'tool_search_output',
    id: `tso_${call_id}`,
    call_id,
    status: 'completed',
    execution: 'client',
    tools: [{ ...MCP_TOOLS, tools: MCP_TOOLS.tools.map((tool) => ({ ...tool, defer_loading: true })) }],
  }),
}

/** The results of the calls among the items, as Codex puts them after all of them. */
export const resultsOf = (items: readonly Item[], text: string): readonly Item[] =>
  items.flatMap((item): readonly Item[] => {
    const result = RESULTS[String(item.type)]?.(item.call_id, text)
    return result ? [result] : []
  })
