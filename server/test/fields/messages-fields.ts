import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import {
  EPHEMERAL,
  FILE,
  type FieldGroup,
  group,
  groupsOf,
  OTHER_SCHEMA,
  OTHER_SIGNATURE,
  PICTURE,
  SCHEMA,
  SIGNATURE,
} from './field-group.ts'

const USER = { role: 'user', content: 'Hi' }
const request = (fields: Fields) => ({ model: 'm', max_tokens: 99, messages: [USER], ...fields })
const messages = (...list: readonly Fields[]) => request({ messages: list })
const block = (fields: Fields) => messages({ role: 'user', content: [fields, { type: 'text', text: 'Look' }] })
const said = (...blocks: readonly Fields[]) => messages(USER, { role: 'assistant', content: blocks }, USER)
const TOOL = { name: 'look_up', input_schema: SCHEMA }
const CACHED = { cache_control: [EPHEMERAL, { type: 'ephemeral', ttl: '1h' }] }
const CITATION = {
  type: 'char_location',
  cited_text: 'a',
  document_index: 0,
  document_title: 'A',
  start_char_index: 0,
  end_char_index: 1,
}

/** The fields of the Messages API. */
export const MESSAGES_FIELDS: readonly FieldGroup[] = groupsOf('anthropic-messages', [
  group('', '', ['messages:MessageCreateParamsBase'], {
    body: request,
    values: {
      max_tokens: [100],
      messages: [[{ role: 'user', content: 'Good morning' }]],
      model: ['other'],
      cache_control: [EPHEMERAL],
      x_unknown: ['x'],
      container: ['container_1'],
      diagnostics: [{ previous_message_id: 'msg_1' }],
      inference_geo: ['eu'],
      metadata: [{ user_id: 'person-7' }],
      output_config: [{ effort: 'low' }, { effort: 'medium' }, { effort: 'high' }, { effort: 'xhigh' }, { effort: 'max' }],
      output_format: [{ type: 'json_schema', schema: SCHEMA }],
      service_tier: ['auto', 'standard_only'],
      speed: ['fast'],
      stop_sequences: [['END', 'STOP']],
      stream: [true],
      system: ['Be brief', [{ type: 'text', text: 'Be brief' }]],
      temperature: [0.5],
      thinking: [
        { type: 'enabled', budget_tokens: 2_048 },
        { type: 'adaptive' },
        { type: 'adaptive', display: 'omitted' },
        { type: 'disabled' },
        { type: 'between_tools' },
      ],
      tool_choice: [{ type: 'auto' }],
      tools: [[TOOL], [{ type: 'web_search_20250305', name: 'web_search' }]],
      top_k: [5],
      top_p: [0.5],
      user_profile_id: ['profile_1'],
      workspace_id: ['workspace_1'],
      context_management: [
        { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        { edits: [{ type: 'clear_tool_uses_20250919' }] },
      ],
      mcp_servers: [[{ type: 'url', url: 'https://mcp.example', name: 'm' }]],
      fallbacks: [[{ model: 'other' }]],
    },
  }),
  group('output_config', '', ['messages:OutputConfig'], {
    body: (fields) => request(Object.keys(fields).length > 0 ? { output_config: fields } : {}),
    values: { effort: ['low'], format: [{ type: 'json_schema', schema: SCHEMA }] },
  }),
  group('output_config.format', '', ['messages:JSONOutputFormat'], {
    body: (fields) => request({ output_config: { format: { type: 'json_schema', schema: SCHEMA, ...fields } } }),
    values: { schema: [OTHER_SCHEMA], type: ['json_object'], name: ['city'] },
  }),
  group(
    'tool_choice',
    '',
    ['messages:ToolChoiceAuto', 'messages:ToolChoiceAny', 'messages:ToolChoiceTool', 'messages:ToolChoiceNone'],
    {
      body: ({ type = 'auto', ...fields }) =>
        request({ tools: [TOOL], tool_choice: { type, ...(type === 'tool' && { name: 'look_up' }), ...fields } }),
      values: { type: ['any', 'tool', 'none'], disable_parallel_tool_use: [true, false], name: ['look_up'] },
    },
  ),
  group('tools[]', '', ['messages:Tool'], {
    body: (fields) => request({ tools: [{ ...TOOL, ...fields }] }),
    values: {
      input_schema: [OTHER_SCHEMA],
      name: ['write'],
      allowed_callers: [['direct'], ['code_execution_20250825']],
      ...CACHED,
      defer_loading: [false, true],
      description: ['Looks it up'],
      eager_input_streaming: [true],
      input_examples: [[{ city: 'Bern' }]],
      strict: [true, false],
      type: ['custom', 'bash_20250124'],
    },
  }),
  group('messages[]', '', ['messages:UserMessageParam', 'messages:AssistantMessageParam', 'messages:SystemMessageParam'], {
    body: (fields) => messages(USER, { role: 'assistant', content: 'Yes' }, { role: 'user', content: 'And', ...fields }),
    values: { content: ['Or', [{ type: 'text', text: 'Or' }]], role: ['assistant', 'system'] },
  }),
  group('messages[].content[]', 'text', ['messages:TextBlockParam'], {
    body: (fields) => block({ type: 'text', text: 'Hi', ...fields }),
    values: { text: ['Hello'], type: ['search_result'], ...CACHED, citations: [[CITATION]] },
  }),
  group('messages[].content[]', 'image', ['messages:ImageBlockParam'], {
    body: (fields) =>
      block({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE.data }, ...fields }),
    values: {
      source: [
        { type: 'url', url: PICTURE.otherUrl },
        { type: 'file', file_id: 'file_1' },
      ],
      type: ['container_upload'],
      ...CACHED,
      transformations: [{ oversized_image: 'downsize' }],
    },
  }),
  group('messages[].content[]', 'document', ['messages:DocumentBlockParam'], {
    body: (fields) =>
      block({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: FILE.data }, ...fields }),
    values: {
      source: [
        { type: 'base64', media_type: 'application/pdf', data: FILE.otherData },
        { type: 'text', media_type: 'text/plain', data: 'A text' },
        { type: 'content', content: 'A text' },
        { type: 'url', url: 'https://a.example/a.pdf' },
        { type: 'file', file_id: 'file_1' },
      ],
      type: ['search_result'],
      ...CACHED,
      citations: [{ enabled: false }, { enabled: true }],
      context: ['A report'],
      title: ['a.pdf'],
    },
  }),
  group('messages[].content[]', 'thinking', ['messages:ThinkingBlockParam'], {
    body: (fields) => said({ type: 'thinking', thinking: 'Hm', signature: SIGNATURE, ...fields }, { type: 'text', text: 'Yes' }),
    values: { signature: [OTHER_SIGNATURE, ''], thinking: ['Well'], type: ['server_tool_use'] },
  }),
  group('messages[].content[]', 'redacted_thinking', ['messages:RedactedThinkingBlockParam'], {
    body: (fields) => said({ type: 'redacted_thinking', data: SIGNATURE, ...fields }, { type: 'text', text: 'Yes' }),
    values: { data: [OTHER_SIGNATURE], type: ['server_tool_use'] },
  }),
  group('messages[].content[]', 'tool_use', ['messages:ToolUseBlockParam'], {
    body: (fields) => said({ type: 'tool_use', id: 'call_1', name: 'look_up', input: {}, ...fields }),
    values: {
      id: ['call_2'],
      input: [{ city: 'Bern' }],
      name: ['write'],
      type: ['server_tool_use'],
      ...CACHED,
      caller: [{ type: 'direct' }, { type: 'code_execution_20250825', tool_id: 't' }],
      toolset_name: ['browser'],
      extra_content: [{ google: { thought_signature: 'c2lnbg==' } }],
      provider_specific_fields: [{ thought_signature: 'c2lnbg==' }],
    },
  }),
  group('messages[].content[]', 'tool_result', ['messages:ToolResultBlockParam'], {
    body: (fields) =>
      messages(
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'look_up', input: {} },
            { type: 'tool_use', id: 'call_2', name: 'look_up', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '1', ...fields }] },
      ),
    values: {
      tool_use_id: ['call_2'],
      type: ['web_search_tool_result'],
      ...CACHED,
      content: ['2', [{ type: 'text', text: '2' }], [{ type: 'tool_reference', tool_name: 'look_up' }]],
      is_error: [true, false],
      toolset_name: ['browser'],
    },
  }),
])
