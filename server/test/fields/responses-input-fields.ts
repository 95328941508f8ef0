import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { FILE, type FieldGroup, group, groupsOf, OTHER_SIGNATURE, PICTURE, SIGNATURE } from './field-group.ts'

const USER = { role: 'user', content: 'Hi' }
const input = (...list: readonly Fields[]) => ({ model: 'm', input: list, store: false })
const part = (fields: Fields) => input({ role: 'user', content: [{ type: 'input_text', text: 'Look' }, fields] })
const CALL = { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{}' }
const BREAKPOINT = { mode: 'explicit' }
const CITATION = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }
const LOGPROB = { token: 'Yes', logprob: -0.5, bytes: [], top_logprobs: [] }
const ITEM_STATE = { id: ['item_1'], status: ['completed'] }
const CALL_STATE = { ...ITEM_STATE, caller: [{ type: 'direct' }, { type: 'program', caller_id: 'p' }], namespace: ['crm'] }
const PROVIDER_STATE = { extra_content: [{ google: { thought_signature: 'c2lnbg==' } }], provider_specific_fields: [{ a: 'b' }] }

/** The fields of the input items of the Responses API. */
export const RESPONSES_INPUT_FIELDS: readonly FieldGroup[] = groupsOf('openai-responses', [
  group('input[]', 'message', ['responses:EasyInputMessage', 'responses:ResponseInputItem.Message'], {
    body: (fields) => input({ role: 'user', content: 'Hi', ...fields }, USER),
    values: {
      content: ['Good morning', [{ type: 'input_text', text: 'Good morning' }]],
      role: ['assistant', 'system', 'developer'],
      phase: ['commentary'],
      type: ['message', 'file_search_call'],
      status: ['completed'],
      id: ['msg_1'],
    },
  }),
  group('input[]', 'message of the assistant', ['responses:ResponseOutputMessage'], {
    body: (fields) =>
      input(
        USER,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes', annotations: [] }], ...fields },
        USER,
      ),
    values: {
      ...ITEM_STATE,
      content: [[{ type: 'output_text', text: 'No', annotations: [] }], [{ type: 'refusal', refusal: 'No' }]],
      role: ['user'],
      type: ['compaction'],
      phase: ['commentary', 'final_answer'],
    },
  }),
  group('input[].content[]', 'output_text', ['responses:ResponseOutputText'], {
    body: (fields) =>
      input(
        USER,
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes', annotations: [], ...fields }] },
        USER,
      ),
    values: {
      annotations: [[CITATION], [{ type: 'file_citation', file_id: 'file_1', filename: 'a', index: 0 }]],
      text: ['No'],
      type: ['refusal'],
      logprobs: [[LOGPROB]],
    },
  }),
  group('input[].content[]', 'refusal', ['responses:ResponseOutputRefusal'], {
    body: (fields) =>
      input(USER, { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No', ...fields }] }, USER),
    values: { refusal: ['Never'], type: ['output_text'] },
  }),
  group('input[].content[]', 'input_text', ['responses:ResponseInputText'], {
    body: (fields) => part({ type: 'input_text', text: 'Hi', ...fields }),
    values: { text: ['Hello'], type: ['input_audio'], prompt_cache_breakpoint: [BREAKPOINT] },
  }),
  group('input[].content[]', 'input_image', ['responses:ResponseInputImage'], {
    body: (fields) => part({ type: 'input_image', image_url: PICTURE.url, ...fields }),
    values: {
      detail: ['auto', 'low', 'high', 'original'],
      type: ['computer_screenshot'],
      file_id: ['file-1'],
      image_url: [PICTURE.otherUrl],
      prompt_cache_breakpoint: [BREAKPOINT],
    },
  }),
  group('input[].content[]', 'input_file', ['responses:ResponseInputFile'], {
    body: (fields) => part({ type: 'input_file', file_data: FILE.url, ...fields }),
    values: {
      type: ['input_audio'],
      detail: ['low'],
      file_data: [FILE.otherUrl],
      file_id: ['file-1'],
      file_url: ['https://a.example/a.pdf'],
      filename: ['a.pdf'],
      prompt_cache_breakpoint: [BREAKPOINT],
    },
  }),
  group('input[]', 'function_call', ['responses:ResponseFunctionToolCall'], {
    body: (fields) => input(USER, { ...CALL, ...fields }),
    values: {
      ...CALL_STATE,
      ...PROVIDER_STATE,
      arguments: ['{"city":"Bern"}', 'no JSON'],
      call_id: ['call_2'],
      name: ['write'],
      type: ['mcp_call'],
      async: [true],
    },
  }),
  group('input[]', 'custom_tool_call', ['responses:ResponseCustomToolCall'], {
    body: (fields) => input(USER, { type: 'custom_tool_call', call_id: 'call_1', name: 'shell', input: 'ls', ...fields }),
    values: { ...CALL_STATE, input: ['cat'], call_id: ['call_2'], name: ['run'], type: ['local_shell_call'], async: [true] },
  }),
  group('input[]', 'function_call_output', ['responses:ResponseInputItem.FunctionCallOutput'], {
    body: (fields) =>
      input(
        USER,
        CALL,
        { ...CALL, call_id: 'call_2' },
        { type: 'function_call_output', call_id: 'call_1', output: '1', ...fields },
      ),
    values: {
      ...CALL_STATE,
      output: ['2', [{ type: 'input_text', text: '2' }]],
      type: ['computer_call_output'],
      call_id: ['call_2'],
      name: ['look_up', 'write'],
    },
  }),
  group('input[]', 'custom_tool_call_output', ['responses:ResponseCustomToolCallOutput'], {
    body: (fields) =>
      input(
        USER,
        { type: 'custom_tool_call', call_id: 'call_1', name: 'shell', input: 'ls' },
        { type: 'custom_tool_call_output', call_id: 'call_1', output: '1', ...fields },
      ),
    values: { id: ['item_1'], caller: [{ type: 'direct' }], output: ['2'], type: ['shell_call_output'], call_id: ['call_2'] },
  }),
  group('input[]', 'reasoning', ['responses:ResponseReasoningItem'], {
    body: (fields) =>
      input(
        USER,
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: SIGNATURE, ...fields },
        { role: 'assistant', content: 'Yes' },
        USER,
      ),
    values: {
      id: ['rs_2'],
      summary: [[{ type: 'summary_text', text: 'Hm' }]],
      type: ['compaction'],
      content: [[{ type: 'reasoning_text', text: 'Hm' }]],
      encrypted_content: [OTHER_SIGNATURE],
      status: ['completed'],
      signature: [SIGNATURE],
      format: ['openai-responses-v1'],
    },
  }),
])
