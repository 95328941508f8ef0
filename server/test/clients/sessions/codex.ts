// Requests in the form of Codex. Written by hand, not recorded, and not yet compared with its source (github.com/openai/codex).

export const CODEX_PATH = '/v1/responses'
export const CODEX_HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/event-stream',
  originator: 'codex_cli_rs',
  'openai-beta': 'responses=experimental',
  'user-agent': 'codex_cli_rs/0.98.0 (Debian 13.0.0; x86_64) xterm-256color',
  conversation_id: 'b1946ac9-2ecd-4f3c-9d3b-0f8f3a5b6c7d',
  session_id: 'b1946ac9-2ecd-4f3c-9d3b-0f8f3a5b6c7d',
}

const parameters = {
  type: 'object',
  properties: { command: { type: 'array', items: { type: 'string' } }, workdir: { type: 'string' } },
  required: ['command'],
  additionalProperties: false,
}

/** A message of the user. */
export const userItem = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })

/** A turn of the agent. */
export const codexTurn = (model: string, input: readonly object[]) => ({
  model,
  instructions: 'You are a coding agent that runs in a terminal. '.repeat(100),
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions>workspace-write</permissions>' }] },
    userItem('<environment_context><cwd>/work</cwd></environment_context>'),
    ...input,
  ],
  tools: [
    { type: 'function', name: 'shell', description: 'Runs a command.', strict: false, parameters },
    {
      type: 'function',
      name: 'update_plan',
      description: 'Updates the plan.',
      strict: false,
      parameters: { ...parameters, required: [] },
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'b1946ac9-2ecd-4f3c-9d3b-0f8f3a5b6c7d',
  client_metadata: { 'x-codex-installation-id': '7d1c' },
})
