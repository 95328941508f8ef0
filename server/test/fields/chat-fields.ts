import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { type FieldGroup, group, groupsOf, OTHER_SCHEMA, SCHEMA } from './field-group.ts'

const USER = { role: 'user', content: 'Hi' }
const chat = (fields: Fields) => ({ model: 'm', messages: [USER], ...fields })
const TOOL = { type: 'function', function: { name: 'look_up', parameters: SCHEMA } }
const OTHER_TOOL = { type: 'function', function: { name: 'write', parameters: SCHEMA } }
const CUSTOM = { type: 'custom', custom: { name: 'shell' } }

/** The fields of chat completions, without those of messages. */
export const CHAT_FIELDS: readonly FieldGroup[] = groupsOf('openai-chat', [
  group('', '', ['chat:ChatCompletionCreateParamsBase'], {
    body: chat,
    values: {
      messages: [[{ role: 'user', content: 'Good morning' }]],
      model: ['other'],
      audio: [{ voice: 'ash', format: 'mp3' }],
      frequency_penalty: [0, 0.5],
      function_call: ['auto', { name: 'look_up' }],
      functions: [[{ name: 'look_up' }]],
      logit_bias: [{ 50256: -100 }],
      logprobs: [false, true],
      max_completion_tokens: [99],
      max_tokens: [99],
      metadata: [{ purpose: 'test' }],
      modalities: [['text'], ['text', 'audio']],
      moderation: [{ model: 'omni-moderation-latest' }],
      n: [1, 2],
      prediction: [{ type: 'content', content: 'Hello' }],
      presence_penalty: [0, 0.5],
      prompt_cache_key: ['key'],
      prompt_cache_options: [{ mode: 'explicit', ttl: '30m' }],
      prompt_cache_retention: ['24h'],
      reasoning_effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      response_format: [{ type: 'text' }, { type: 'json_object' }],
      safety_identifier: ['person-7'],
      seed: [7],
      service_tier: ['auto', 'default', 'flex', 'scale', 'priority', 'fast'],
      stop: ['END', ['END', 'STOP']],
      store: [false, true],
      stream: [true],
      stream_options: [{ include_usage: true }, { include_obfuscation: false }, { include_obfuscation: true }],
      temperature: [0.5, 1.5],
      top_logprobs: [2],
      top_p: [0.5],
      user: ['person-7'],
      verbosity: ['low', 'medium', 'high'],
      tools: [[TOOL], [CUSTOM]],
      parallel_tool_calls: [true],
      tool_choice: ['auto'],
      web_search_options: [{ search_context_size: 'low' }],
    },
  }),
  group('', 'with tools', [], {
    body: (fields) => chat({ tools: [TOOL, OTHER_TOOL], ...fields }),
    values: {
      parallel_tool_calls: [true, false],
      tool_choice: [
        ...['auto', 'none', 'required'],
        { type: 'function', function: { name: 'look_up' } },
        { type: 'custom', custom: { name: 'shell' } },
        {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look_up' } }] },
        },
      ],
    },
  }),
  group('', 'of compatible servers', [], {
    body: chat,
    values: {
      x_unknown: ['x'],
      reasoning_included: [['summary']],
      carried_fields: [{ a: 'b' }],
      top_k: [5],
      thinking: [{ type: 'adaptive' }],
      cache_control: [{ type: 'ephemeral' }],
      extra_body: [{ top_k: 5 }],
    },
  }),
  group('response_format.json_schema', '', ['openai:ResponseFormatJSONSchema.JSONSchema'], {
    body: (fields) =>
      chat({ response_format: { type: 'json_schema', json_schema: { name: 'city', schema: SCHEMA, ...fields } } }),
    values: { name: ['town'], description: ['A city'], schema: [OTHER_SCHEMA], strict: [true, false] },
  }),
  group('tools[].function', '', ['openai:FunctionDefinition'], {
    body: (fields) => chat({ tools: [{ type: 'function', function: { name: 'look_up', ...fields } }] }),
    values: { name: ['write'], description: ['Looks it up'], parameters: [SCHEMA], strict: [true, false] },
  }),
  group('tools[].custom', '', ['chat:ChatCompletionCustomTool.Custom'], {
    body: (fields) => chat({ tools: [{ type: 'custom', custom: { name: 'shell', ...fields } }] }),
    values: {
      name: ['run'],
      description: ['Runs it'],
      format: [{ type: 'text' }, { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }],
    },
  }),
])
