import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { type FieldGroup, group, groupsOf, OTHER_SCHEMA, SCHEMA } from './field-group.ts'

const USER = { role: 'user', content: 'Hi' }
const request = (fields: Fields) => ({ model: 'm', input: [USER], store: false, ...fields })
const TOOL = { type: 'function', name: 'look_up', parameters: SCHEMA, strict: true }
const CUSTOM = { type: 'custom', name: 'shell' }

/** The fields of the Responses API, without those of input items. */
export const RESPONSES_FIELDS: readonly FieldGroup[] = groupsOf('openai-responses', [
  group('', '', ['responses:ResponseCreateParamsBase'], {
    body: request,
    values: {
      x_unknown: ['x'],
      access_programs: [{ cyber: 'standard' }],
      background: [false, true],
      client_metadata: [{ installation: 'a' }],
      context_management: [[], [{ type: 'compaction' }]],
      conversation: ['conv_1'],
      image: [{ context_compression: 'auto' }],
      include: [['reasoning.encrypted_content'], ['message.output_text.logprobs'], ['file_search_call.results']],
      input: ['Good morning', [{ role: 'user', content: 'Good morning' }]],
      instructions: ['Be brief'],
      max_output_tokens: [99],
      max_tool_calls: [3],
      metadata: [{ purpose: 'test' }],
      model: ['other'],
      moderation: [{ model: 'omni-moderation-latest' }],
      parallel_tool_calls: [true, false],
      presence_penalty: [0, 0.5],
      frequency_penalty: [0, 0.5],
      previous_response_id: ['resp_1'],
      prompt: [{ id: 'pmpt_1' }],
      prompt_cache_key: ['key'],
      prompt_cache_options: [{ mode: 'explicit', ttl: '30m' }],
      prompt_cache_retention: ['24h'],
      reasoning: [{ effort: 'low' }, { effort: 'none' }],
      safety_identifier: ['person-7'],
      service_tier: ['auto', 'default', 'flex', 'priority'],
      store: [false, true],
      stream: [true],
      stream_options: [{ include_obfuscation: false }, { include_obfuscation: true }],
      temperature: [0.5, 1.5],
      text: [{ verbosity: 'low' }],
      tool_choice: ['auto', 'none', 'required'],
      tools: [[TOOL], [{ type: 'web_search' }]],
      top_logprobs: [0, 2],
      top_p: [0.5],
      truncation: ['disabled', 'auto'],
      user: ['person-7'],
    },
  }),
  group('', 'with tools', [], {
    body: (fields) => request({ tools: [TOOL, { ...TOOL, name: 'write' }], ...fields }),
    values: {
      max_tool_calls: [3],
      parallel_tool_calls: [true, false],
      tool_choice: [
        ...['auto', 'none', 'required'],
        { type: 'function', name: 'look_up' },
        { type: 'custom', name: 'shell' },
        { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look_up' }] },
        { type: 'web_search_preview' },
      ],
    },
  }),
  group('reasoning', '', ['openai:Reasoning'], {
    body: (fields) => request({ reasoning: { effort: 'medium', ...fields } }),
    values: {
      context: ['auto', 'all_turns'],
      effort: ['minimal', 'high', 'xhigh', 'max'],
      generate_summary: ['auto'],
      mode: ['standard', 'pro'],
      summary: ['auto', 'concise', 'detailed'],
    },
  }),
  group('text', '', ['responses:ResponseTextConfig'], {
    body: (fields) => request(Object.keys(fields).length > 0 ? { text: fields } : {}),
    values: {
      format: [{ type: 'text' }, { type: 'json_object' }, { type: 'json_schema', name: 'city', schema: SCHEMA }],
      verbosity: ['low', 'medium', 'high'],
    },
  }),
  group('text.format', '', ['responses:ResponseFormatTextJSONSchemaConfig'], {
    body: (fields) => request({ text: { format: { type: 'json_schema', name: 'city', schema: SCHEMA, ...fields } } }),
    values: { name: ['town'], schema: [OTHER_SCHEMA], type: ['grammar'], description: ['A city'], strict: [true, false] },
  }),
  group('tools[]', 'function', ['responses:FunctionTool'], {
    body: (fields) => request({ tools: [{ ...TOOL, ...fields }] }),
    values: {
      name: ['write'],
      parameters: [OTHER_SCHEMA],
      strict: [false],
      type: ['custom', 'file_search'],
      allowed_callers: [['direct'], ['programmatic']],
      async: [false, true],
      defer_loading: [false, true],
      description: ['Looks it up'],
      output_schema: [SCHEMA],
    },
  }),
  group('tools[]', 'custom', ['responses:CustomTool'], {
    body: (fields) => request({ tools: [{ ...CUSTOM, ...fields }] }),
    values: {
      name: ['run'],
      type: ['mcp'],
      allowed_callers: [['programmatic']],
      async: [false, true],
      defer_loading: [false, true],
      description: ['Runs it'],
      format: [{ type: 'text' }, { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }],
    },
  }),
])
